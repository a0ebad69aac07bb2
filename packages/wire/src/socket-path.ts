/**
 * How long the path of a socket may be; where the sockets of a fleet lie is for the two ends.
 */

/**
 * Bytes that fit into a socket's address. Node cuts a longer path without a word, and listens or
 * connects under another name: whoever does either compares first.
 */
export const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
