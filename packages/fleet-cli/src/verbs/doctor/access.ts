/**
 * Examines owners and modes of the fleet's folders: who can pause here, and who should not.
 */

import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOrText, journalPath } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import { shellWord } from '../../text/visible.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

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
  const what = `this user may enter and change ${counted(looked.length, 'folder')} of this fleet, and other users may not`;
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
      what: `its group may change it, but new files in it do not belong to the group (mode ${modeText(stats)})`,
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
      what: `this user cannot pause or resume here (${changing})`,
      todo: changing === 'EROFS' ? 'mount it writable' : `run this as uid ${stats.uid}`,
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

/**
 * Others must not read the records: the journal says who did what, and the token gives access to the
 * watcher.
 */
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
    return [
      { ...about, level: 'problem', what: 'the path of the records folder is not a folder', todo },
    ];
  }
  if (stats.mode & OTHERS) {
    const what = `everybody on this host may look at the records (mode ${modeText(stats)})`;
    return [{ ...about, level: 'warning', what, todo: `chmod o-rwx ${shellWord(dir)}` }];
  }
  const changing = accessErrorOf(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (changing === null) return [];
  const what = `changes that this user makes here are not recorded (${changing})`;
  return [{ ...about, level: 'warning', what, todo: `run this as uid ${stats.uid}` }];
}

const unknown = (dir: string, why: string): Finding => ({
  level: 'problem',
  check: 'access',
  what: `it cannot be read, and so counts as held (${why})`,
  where: dir,
  todo: 'repair its permissions, or run this as the user that owns it',
  unexamined: true,
});

/** The stats, or the errno code why there are none. */
function statsOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return codeOrText(error);
  }
}

/** The errno of a refused access; null: access is granted. */
function accessErrorOf(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return codeOrText(error);
  }
}

const modeText = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0');
