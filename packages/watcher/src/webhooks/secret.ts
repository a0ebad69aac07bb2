/**
 * The secrets that a webhook is signed with, from their file. It is read anew for every attempt, so
 * a changed file is in force at once; nothing of what it holds is ever said.
 * What is signed with them is `signature.ts`.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { isSecret } from './redaction.ts';

export type Secrets =
  /** More than one while they are being changed: each of them signs. */
  | { readonly state: 'read'; readonly keys: readonly Uint8Array[] }
  /** Why, in words that may be shown. */
  | { readonly state: 'unusable'; readonly why: string };

const PREFIX = 'whsec_';
/** The bounds of Standard Webhooks 1.0, "Signature scheme": 192 and 512 bits. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const MAX_SECRETS = 4;
/** Four of the longest, and line ends. */
const MAX_FILE_BYTES = 1_024;

/** A relative path starts at the root. Never throws for what stands there. */
export function readSecrets(root: string, file: string): Secrets {
  if (isSecret(file)) return unusable('`secret_file` names a file, and is not the secret');
  const path = resolve(root, file);
  let fd: number | undefined;
  try {
    const real = realpathSync(path);
    // Mounted secrets are links to beside themselves; whoever may write a folder could name any file.
    const folder = realpathSync(dirname(path));
    const inside = folder.endsWith(sep) ? folder : `${folder}${sep}`;
    if (!real.startsWith(inside)) return unusable('it is a link that leads out of its folder');
    // Nothing that could block us.
    fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { mode, uid, size } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return unusable('it is no plain file');
    if ((mode & 0o077) !== 0) return unusable('others may read or change it: set its mode to 0600');
    const ours = process.getuid?.();
    if (ours !== undefined && uid !== ours && uid !== 0) return unusable('it is somebody else’s');
    if (size > MAX_FILE_BYTES) return unusable(`it is longer than ${MAX_FILE_BYTES} bytes`);
    const bytes = Buffer.alloc(MAX_FILE_BYTES);
    return secretsIn(bytes.toString('latin1', 0, readSync(fd, bytes)));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return unusable(code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : code);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function secretsIn(text: string): Secrets {
  const lines = text.split('\n').map((line) => line.trim());
  const secrets = lines.filter((line) => line !== '');
  if (secrets.length === 0) return unusable('it is empty');
  if (secrets.length > MAX_SECRETS) return unusable(`it holds more than ${MAX_SECRETS} secrets`);
  const keys: Uint8Array[] = [];
  for (const secret of secrets) {
    const key = keyOf(secret);
    if (typeof key === 'string') return unusable(key);
    keys.push(key);
  }
  return { state: 'read', keys };
}

/** The key, or why this is none. */
function keyOf(secret: string): Uint8Array | string {
  if (/^wh[sp]k_/.test(secret))
    return 'it holds an asymmetric key, and only `whsec_` is known here';
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'a secret is printable ASCII, without spaces';
  const key = secret.startsWith(PREFIX)
    ? decoded(secret.slice(PREFIX.length))
    : Buffer.from(secret, 'latin1');
  if (key === null) return `what follows \`${PREFIX}\` is no base64`;
  if (key.length < MIN_BYTES) return `a secret is shorter than ${MIN_BYTES} bytes`;
  if (key.length > MAX_BYTES) return `a secret is longer than ${MAX_BYTES} bytes`;
  return key;
}

/** Node skips what is no base64; a receiver that does not would have another key. */
function decoded(text: string): Uint8Array | null {
  const key = Buffer.from(text, 'base64');
  return key.toString('base64') === text ? key : null;
}

const unusable = (why: string): Secrets => ({ state: 'unusable', why });
