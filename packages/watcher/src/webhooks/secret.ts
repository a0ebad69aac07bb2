/**
 * Reads a webhook's secrets from their file. The file is read again for every attempt, so a change
 * applies at once; its content is never logged or shown.
 * Signing is `signature.ts`.
 */

import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { codeOrText, meansAbsent, readSecretFile } from '@fleet-estop/sentinel-core';
import { isSecret } from './redaction.ts';

export type Secrets =
  /** Several while they are being rotated: each of them signs. */
  | { readonly state: 'read'; readonly keys: readonly Uint8Array[] }
  /** Why, in words that are safe to show. */
  | { readonly state: 'unusable'; readonly why: string };

const PREFIX = 'whsec_';
/** The bounds of Standard Webhooks 1.0, "Signature scheme": 192 and 512 bits. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const MAX_SECRETS = 4;
/** Four secrets of maximum length, with line ends. */
const MAX_FILE_BYTES = 1_024;

/** A relative path starts at the root. Never throws for what it finds. */
export function readSecrets(root: string, file: string): Secrets {
  if (isSecret(file)) return unusable('`secret_file` must be the path of a file, not the secret');
  const path = resolve(root, file);
  try {
    const real = realpathSync(path);
    // Mounted secrets are links to a neighbour. A link to elsewhere could name any file, for
    // anybody who can write the folder.
    const folder = realpathSync(dirname(path));
    const inside = folder.endsWith(sep) ? folder : `${folder}${sep}`;
    if (!real.startsWith(inside)) return unusable('it is a link to outside its folder');
    const found = readSecretFile(real, MAX_FILE_BYTES);
    if (found.state === 'absent') return unusable(NO_FILE);
    return found.state === 'read' ? secretsIn(found.text) : found;
  } catch (error) {
    const code = codeOrText(error);
    return unusable(meansAbsent(code) ? NO_FILE : code);
  }
}

const NO_FILE = 'there is no such file';

function secretsIn(text: string): Secrets {
  const lines = text.split('\n').map((line) => line.trim());
  const secrets = lines.filter((line) => line !== '');
  if (secrets.length === 0) return unusable('it is empty');
  if (secrets.length > MAX_SECRETS) return unusable(`it contains more than ${MAX_SECRETS} secrets`);
  const keys: Uint8Array[] = [];
  for (const secret of secrets) {
    const key = keyOf(secret);
    if (typeof key === 'string') return unusable(key);
    keys.push(key);
  }
  return { state: 'read', keys };
}

/** The key, or why it is invalid. */
function keyOf(secret: string): Uint8Array | string {
  if (/^wh[sp]k_/.test(secret)) return 'it contains an asymmetric key; only `whsec_` is supported';
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'a secret is printable ASCII, without spaces';
  const key = secret.startsWith(PREFIX)
    ? decoded(secret.slice(PREFIX.length))
    : Buffer.from(secret, 'latin1');
  if (key === null) return `what follows \`${PREFIX}\` is not base64`;
  if (key.length < MIN_BYTES) return `a secret is shorter than ${MIN_BYTES} bytes`;
  if (key.length > MAX_BYTES) return `a secret is longer than ${MAX_BYTES} bytes`;
  return key;
}

/** Node skips invalid base64 characters; a receiver that does not would derive another key. */
function decoded(text: string): Uint8Array | null {
  const key = Buffer.from(text, 'base64');
  return key.toString('base64') === text ? key : null;
}

const unusable = (why: string): Secrets => ({ state: 'unusable', why });
