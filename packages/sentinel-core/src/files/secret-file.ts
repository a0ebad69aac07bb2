/**
 * Reads a file that only its owner may read: the token for HTTP, or the secrets of a webhook.
 * The text is never logged or cached; what is done with it is for the caller.
 */
import { constants, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOrText, meansAbsent } from './errno.ts';
import { withFile } from './open.ts';

export type SecretFile =
  | { readonly state: 'absent' }
  /** Why, in words that are safe to show. */
  | { readonly state: 'unusable'; readonly why: string }
  | { readonly state: 'read'; readonly text: string };

/** Never throws for what it finds, follows no link, and never blocks. */
export function readSecretFile(path: string, maxBytes: number): SecretFile {
  try {
    return withFile(path, (fd, stats) => {
      const why = faultOf(stats, maxBytes);
      if (why !== null) return { state: 'unusable', why };
      const bytes = Buffer.alloc(maxBytes);
      return { state: 'read', text: bytes.toString('latin1', 0, readSync(fd, bytes)) };
    });
  } catch (error) {
    const why = codeOrText(error);
    return meansAbsent(why) ? { state: 'absent' } : { state: 'unusable', why };
  }
}

function faultOf({ mode, uid, size }: Stats, maxBytes: number): string | null {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'it is not a regular file';
  if ((mode & 0o077) !== 0) return 'other users may read or change it: set its mode to 0600';
  const ours = process.getuid?.();
  if (ours !== undefined && uid !== ours && uid !== 0) return 'it belongs to another user';
  return size > maxBytes ? `it is longer than ${maxBytes} bytes` : null;
}

export const MAX_TOKEN_BYTES = 1_024;
/** 16 random bytes in hexadecimal; less could be guessed. */
export const MIN_TOKEN_LENGTH = 32;

export const tokenPath = (root: string): string => join(root, '.fleet', 'token');

/**
 * A bearer token of RFC 6750. The group of a shared fleet may write in `.fleet/`, and can move a file
 * of the watcher's user there whose content they know, such as a sentinel. What fleet writes has
 * braces, and so is no token.
 */
const TOKEN = /^[A-Za-z0-9._~+/-]*=*$/;

/** Why this text cannot be a token; null: it can. */
export function tokenFault(text: string): string | null {
  if (!TOKEN.test(text)) return 'a token is one word of letters, digits and `-._~+/=`';
  return text.length < MIN_TOKEN_LENGTH
    ? `it is shorter than ${MIN_TOKEN_LENGTH} characters`
    : null;
}
