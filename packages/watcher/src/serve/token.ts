/**
 * The token in `.fleet/token`, which allows writing and seeing names. Without the file, neither is
 * allowed.
 * What is removed without it is `redaction.ts`. The file is read for every request, so a change
 * applies at once; the token is never logged, cached, or compared in variable time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpError, httpError } from './answers.ts';

const MAX_BYTES = 1_024;
/** 16 random bytes in hexadecimal; less could be guessed. */
const MIN_LENGTH = 32;

/**
 * A bearer token of RFC 6750. The group of a shared fleet may write in `.fleet/`, and can move a file
 * of the watcher's user there whose content they know, such as a sentinel. What fleet writes has
 * braces, and so is no token.
 */
const TOKEN = /^[A-Za-z0-9._~+/-]*=*$/;

const tokenPath = (root: string): string => join(root, '.fleet', 'token');

/** Whether the file exists, whatever its content. */
export const isWritingOn = (root: string): boolean => {
  try {
    return lstatSync(tokenPath(root), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/** null: this request may write. */
export const mayWrite = (root: string, authorization: string | undefined): HttpError | null =>
  tokenError(root, authorization, (path) => {
    const hint = `put a token of at least ${MIN_LENGTH} characters into ${path}, with mode 0600`;
    return httpError(403, 'writing-off', 'writing over HTTP is off', hint);
  });

/** null: this request may see names. */
export const maySeeNames = (root: string, authorization: string | undefined): HttpError | null =>
  tokenError(root, authorization, (path) => {
    const hint = `ask without a token, or put one into ${path}, with mode 0600`;
    return httpError(401, 'token-wrong', 'no token is configured', hint);
  });

function tokenError(
  root: string,
  authorization: string | undefined,
  whereAbsent: (path: string) => HttpError,
): HttpError | null {
  const path = tokenPath(root);
  const token = readToken(path);
  if (token.state === 'absent') return whereAbsent(path);
  if (token.state === 'unusable') {
    const hint = `repair ${path}: a file of the watcher's user, with mode 0600`;
    return httpError(503, 'token-unusable', `the token file cannot be used: ${token.why}`, hint);
  }
  const given = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
  if (given !== undefined && isSame(given, token.text)) return null;
  const message = given === undefined ? 'a bearer token is required' : 'the token is wrong';
  return httpError(401, 'token-wrong', message, `send the content of ${path} as a bearer token`);
}

type TokenFile =
  | { readonly state: 'absent' }
  | { readonly state: 'unusable'; readonly why: string }
  | { readonly state: 'read'; readonly text: string };

function readToken(path: string): TokenFile {
  let fd: number | undefined;
  try {
    // Follow no link, and never block.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    fd = openSync(path, flags);
    const { mode, uid, size } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG)
      return unusable('it is not a regular file');
    if ((mode & 0o077) !== 0) return unusable('other users may read or change it');
    const ours = process.getuid?.();
    if (ours !== undefined && uid !== ours && uid !== 0)
      return unusable('it belongs to another user');
    if (size > MAX_BYTES) return unusable(`it is longer than ${MAX_BYTES} bytes`);
    const bytes = Buffer.alloc(MAX_BYTES);
    const text = bytes.toString('latin1', 0, readSync(fd, bytes)).trim();
    if (!TOKEN.test(text)) return unusable('a token is one word of letters, digits and `-._~+/=`');
    if (text.length < MIN_LENGTH) return unusable(`it is shorter than ${MIN_LENGTH} characters`);
    return { state: 'read', text };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { state: 'absent' } : unusable(code);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const unusable = (why: string): TokenFile => ({ state: 'unusable', why });

/** Compares digests, which always have the same length. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
