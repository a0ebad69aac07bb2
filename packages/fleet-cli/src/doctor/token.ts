/**
 * Whether the token that lets somebody write over HTTP, `.fleet/token`, can be used and is a secret.
 * Its rules are the watcher's, which reads it anew for every question; its text is never told.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../render/visible.ts';
import { errnoOf, type Finding, type Ground } from './finding.ts';

const MAX_BYTES = 1_024;
const MIN_LENGTH = 32;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function examineToken({ root }: Ground): Finding[] {
  const path = join(root.root, '.fleet', 'token');
  const about = { check: 'token', where: path } as const;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      const what = 'there is none, and so nobody may write over HTTP';
      return [{ level: 'ok', check: 'token', what }];
    }
    const fault = faultOf(path, stats, lstatSync(dirname(path)).uid);
    if (fault === null) return [{ level: 'ok', check: 'token', what: 'it can be used' }];
    const what = `the watcher cannot use it, and so nobody may write over HTTP: ${fault.why}`;
    return [{ ...about, level: 'problem', what, todo: fault.todo }];
  } catch (error) {
    const why = errnoOf(error);
    const seen = why === 'EACCES' ? 'its text is for another user' : 'it cannot be looked at';
    const what = `${seen}, and so whether the watcher can use it is not known (${why})`;
    return [{ ...about, level: 'warning', what, unexamined: true }];
  }
}

interface Fault {
  readonly why: string;
  readonly todo: string;
}

/** null: it can be used. `owner`: whose the records are, and so most likely the watcher. */
function faultOf(path: string, { mode, uid, size }: Stats, owner: number): Fault | null {
  const word = shellWord(path);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
    return { why: 'it is no plain file', todo: 'put a file there' };
  }
  if ((mode & 0o077) !== 0) {
    const why = `others may read or change it (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
    return { why, todo: `chmod 600 ${word}, with a new token in it: somebody may know this one` };
  }
  if (uid !== 0 && uid !== owner) {
    const why = `it belongs to uid ${uid}, and the folder of records to uid ${owner}`;
    return { why, todo: `chown ${owner} ${word}, if the watcher is of that user` };
  }
  const renew = `a new one: (umask 077 && openssl rand -hex 32 > ${word})`;
  if (size > MAX_BYTES) return { why: `it is longer than ${MAX_BYTES} bytes`, todo: renew };
  const text = textOf(path);
  if (!/^[\x21-\x7e]*$/.test(text)) {
    return { why: 'a token is printable ASCII, without spaces', todo: renew };
  }
  if (text.length >= MIN_LENGTH) return null;
  return { why: `it is shorter than ${MIN_LENGTH} characters`, todo: renew };
}

/** Throws an errno. Neither through a link nor from anything that could block us. */
function textOf(path: string): string {
  const fd = openSync(path, FLAGS);
  try {
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('latin1', 0, readSync(fd, bytes)).trim();
  } finally {
    closeSync(fd);
  }
}
