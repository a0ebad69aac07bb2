/**
 * The token in `.fleet/token`, which allows writing and seeing names. Without the file, neither is
 * allowed.
 * What is removed without it is `redaction.ts`. The file is read for every request, so a change
 * applies at once; the token is never logged, cached, or compared in variable time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { lstatSync } from 'node:fs';
import {
  MAX_TOKEN_BYTES,
  MIN_TOKEN_LENGTH,
  readSecretFile,
  type SecretFile,
  tokenFault,
  tokenPath,
} from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';

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
    const hint = `put a token of at least ${MIN_TOKEN_LENGTH} characters into ${path}, with mode 0600`;
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

function readToken(path: string): SecretFile {
  const file = readSecretFile(path, MAX_TOKEN_BYTES);
  if (file.state !== 'read') return file;
  const text = file.text.trim();
  const why = tokenFault(text);
  return why === null ? { state: 'read', text } : { state: 'unusable', why };
}

/** Compares digests, which always have the same length. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
