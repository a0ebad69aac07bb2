/**
 * Owners and modes of the fleet's folders: who may pause here, and who should not be able to.
 */

import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { journalPath } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import { shellWord } from '../../text/visible.ts';
import { type ExaminedFleet, errnoOf, type Finding } from './finding.ts';

const OTHERS_WRITE = 0o002;
const OTHERS = 0o007;
const GROUP_WRITES = 0o020;
const SETGID = 0o2000;

export function examineAccess({ root, scopes }: ExaminedFleet): Finding[] {
  const records = dirname(journalPath(root.root));
  const folders = scopes.filter(({ kind }) => kind === 'profile').map(({ dir }) => dir);
  const looked = [root.root, join(root.root, 'profiles'), ...folders];
  const findings = looked.flatMap(examineFolder);
  const rootStats = statsOf(root.root);
  if (typeof rootStats !== 'string') findings.push(...examineOwner(root.root, rootStats));
  findings.push(...examineRecords(records));
  const bad = findings.some(({ level }) => level === 'warning' || level === 'problem');
  if (bad) return findings;
  const what = `this user may enter and change ${counted(looked.length, 'folder')} of this fleet, and not everybody may`;
  return [...findings, { level: 'ok', check: 'access', what }];
}

function examineFolder(dir: string): Finding[] {
  const stats = statsOf(dir);
  if (typeof stats === 'string') return stats === 'ENOENT' ? [] : [unknown(dir, stats)];
  const found: Finding[] = [];
  const about = { check: 'access', where: dir } as const;
  if (stats.mode & OTHERS_WRITE) {
    found.push({
      ...about,
      level: 'problem',
      what: `everybody on this host may pause and resume here (mode ${modeText(stats)})`,
      todo: `chmod o-w ${shellWord(dir)}`,
    });
  }
  if (stats.mode & GROUP_WRITES && !(stats.mode & SETGID)) {
    found.push({
      ...about,
      level: 'warning',
      what: `its group may change it, and what is made in it is not the group's (mode ${modeText(stats)})`,
      todo: `chmod g+s ${shellWord(dir)}, or chmod g-w where nobody shares it`,
    });
  }
  const entering = accessErrorOf(dir, constants.R_OK | constants.X_OK);
  if (entering !== null) return [...found, unknown(dir, entering)];
  const changing = accessErrorOf(dir, constants.W_OK);
  if (changing !== null) {
    found.push({
      ...about,
      level: changing === 'EROFS' ? 'problem' : 'warning',
      what: `nothing can be paused or resumed here by this user (${changing})`,
      todo: changing === 'EROFS' ? 'mount it writable' : `use the user with uid ${stats.uid}`,
    });
  }
  return found;
}

function examineOwner(dir: string, { uid }: Stats): Finding[] {
  const own = process.getuid?.();
  if (own === undefined || own === uid) return [];
  const what = `this fleet belongs to uid ${uid}, and this user is uid ${own}`;
  return [{ level: 'note', check: 'access', what, where: dir }];
}

/** The journal says who did what; a token there opens the watcher. */
function examineRecords(dir: string): Finding[] {
  const about = { check: 'access', where: dir } as const;
  const stats = statsOf(dir);
  if (stats === 'ENOENT') {
    const what = 'there is no folder for records yet: the first pause makes it';
    return [{ ...about, level: 'note', what }];
  }
  if (typeof stats === 'string') return [unknown(dir, stats)];
  if (!stats.isDirectory()) {
    const todo = 'move it out of the way: pauses work without it, and are not recorded';
    return [{ ...about, level: 'problem', what: 'the folder for records is no folder', todo }];
  }
  if (stats.mode & OTHERS) {
    const what = `everybody on this host may look at the records (mode ${modeText(stats)})`;
    return [{ ...about, level: 'warning', what, todo: `chmod o-rwx ${shellWord(dir)}` }];
  }
  const changing = accessErrorOf(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (changing === null) return [];
  const what = `what this user does here is not recorded (${changing})`;
  return [{ ...about, level: 'warning', what, todo: `use the user with uid ${stats.uid}` }];
}

const unknown = (dir: string, why: string): Finding => ({
  level: 'problem',
  check: 'access',
  what: `it cannot be looked into, and so counts as held (${why})`,
  where: dir,
  todo: 'repair its permissions, or use the user that it belongs to',
  unexamined: true,
});

/** An errno code in place of what cannot be told. */
function statsOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return errnoOf(error);
  }
}

/** null: it is granted. */
function accessErrorOf(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return errnoOf(error);
  }
}

const modeText = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0');
