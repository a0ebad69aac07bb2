/**
 * The limits of the socket between a gateway and the watcher.
 * The messages are `schemas/socket.ts`; encoding and decoding them is `codec.ts`.
 */

/** Version of the protocol, sent in the hello. Another number is refused with a hint. */
export const PROTOCOL = 1;

/** Bytes of one line, with its newline. A longer line ends the connection. */
export const MAX_LINE_BYTES = 65_536;

/** Profiles that one request to `/v1/wait` can name. */
export const MAX_WAIT_PROFILES = 64;

/** Each end sends at least this often, and treats the other as stale after `STALE_AFTER_MS` of silence. */
export const HEARTBEAT_MS = 2_000;
export const STALE_AFTER_MS = 3 * HEARTBEAT_MS;

/**
 * Bytes of a socket path. Node silently truncates a longer path, and then listens on or connects to
 * another one: compare before doing either.
 */
export const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
