/**
 * Examines whether the token for writing over HTTP, `.fleet/token`, is usable and secret. The rules are
 * those of the watcher, which reads it for every request. The token itself is never printed.
 */

import { constants, lstatSync, readSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import {
  codeOrText,
  MAX_TOKEN_BYTES,
  MIN_TOKEN_LENGTH,
  tokenFault,
  tokenPath,
  withFile,
} from '@fleet-estop/sentinel-core';
import { shellWord } from '../../text/visible.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

export function examineToken({ root }: ExaminedFleet): Finding[] {
  const path = tokenPath(root.root);
  const about = { check: 'token', where: path } as const;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      const what = 'there is no token, and so nobody may write over HTTP';
      return [{ level: 'ok', check: 'token', what }];
    }
    const owner = lstatSync(dirname(path)).uid;
    return [{ ...about, ...judge(path, stats, owner) }];
  } catch (error) {
    const what = `whether the watcher can use it is unknown (${codeOrText(error)})`;
    return [{ ...about, level: 'warning', what, unexamined: true }];
  }
}

type Judgement = Pick<Finding, 'level' | 'what' | 'todo'>;

const unusable = (why: string, todo: string): Judgement => ({
  level: 'problem',
  what: `the watcher cannot use it, and so nobody may write over HTTP: ${why}`,
  todo,
});

/** `owner`: the owner of the records folder, who most likely runs the watcher. */
function judge(path: string, { mode, uid, size }: Stats, owner: number): Judgement {
  const word = shellWord(path);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
    return unusable('it is not a plain file', 'move it elsewhere, and put a file there');
  }
  if ((mode & 0o077) !== 0) {
    const why = `others may read or change it (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
    const todo = `chmod 600 ${word}, and put a new token into it: somebody may know this one`;
    return unusable(why, todo);
  }
  if (uid !== 0 && uid !== owner) {
    const what = `only a watcher of uid ${uid} can use it, and the records belong to uid ${owner}`;
    return {
      level: 'warning',
      what,
      todo: `chown ${owner} ${word}, if the watcher is of that user`,
    };
  }
  const todo = `put ${MIN_TOKEN_LENGTH} or more random characters into it, such as those of: openssl rand -hex 32`;
  if (size > MAX_TOKEN_BYTES) return unusable(`it is longer than ${MAX_TOKEN_BYTES} bytes`, todo);
  const text = textOf(path);
  if (text === null) {
    return { level: 'note', what: 'this user may not read it, so its text was not checked' };
  }
  const fault = tokenFault(text);
  if (fault !== null) return unusable(fault, todo);
  return { level: 'ok', what: 'the token can be used, and others may not read it' };
}

/** null: this user may not read it. Never follows a link, and never blocks. */
function textOf(path: string): string | null {
  try {
    return withFile(path, (fd, stats) => {
      if (!stats.isFile()) return '';
      const bytes = Buffer.alloc(MAX_TOKEN_BYTES);
      return bytes.toString('latin1', 0, readSync(fd, bytes)).trim();
    });
  } catch (error) {
    if (codeOrText(error) === 'EACCES') return null;
    throw error;
  }
}
