/**
 * Examines whether gateways can write receipts of refused work in their homes. Work is refused even
 * without one. Reading receipts is `verbs/history/count-refused.ts`.
 */

import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { receiptsPath } from '@fleet-estop/ledger';
import { codeOrText } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';
import { homesOf } from './homes.ts';
import { kindOf } from './sentinels.ts';

export function examineReceipts(fleet: ExaminedFleet): Finding[] {
  const homes = homesOf(fleet);
  const findings = homes.flatMap((home) => examineHome(home) ?? []);
  if (findings.length > 0) return findings;
  const what = `refusals can be recorded in ${counted(homes.length, 'home')}`;
  return [{ level: 'ok', check: 'receipts', what }];
}

/** null: receipts can be written. */
function examineHome(home: string): Finding | null {
  const path = receiptsPath(home);
  const folder = dirname(path);
  try {
    const records = statSync(folder, { throwIfNoEntry: false });
    // The first receipt creates it.
    if (records === undefined) return null;
    if (!records.isDirectory()) return notOne(folder, 'not a folder');
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file !== undefined && !file.isFile()) return notOne(path, kindOf(path) ?? 'not a file');
    const [where, stats] = file === undefined ? [folder, records] : [path, file];
    return examineWriting(where, stats, statSync(home));
  } catch (error) {
    return {
      level: 'problem',
      check: 'receipts',
      what: `whether refusals can be recorded here is unknown (${codeOrText(error)})`,
      where: path,
      todo: 'repair its permissions, or run this as the user that owns it',
      unexamined: true,
    };
  }
}

const LOST = 'refusals here leave no receipt';

const notOne = (where: string, kind: string): Finding => ({
  level: 'problem',
  check: 'receipts',
  what: `it is ${kind}, and so ${LOST}`,
  where,
  todo: 'move it elsewhere',
});

function examineWriting(where: string, stats: Stats, home: Stats): Finding | null {
  const about = { level: 'warning', check: 'receipts', where } as const;
  try {
    accessSync(where, constants.W_OK);
  } catch (error) {
    const why = codeOrText(error);
    if (why === 'EROFS') {
      return { ...about, level: 'problem', what: `${LOST} (EROFS)`, todo: 'mount it writable' };
    }
    const what = `${LOST} by a gateway of this user (${why})`;
    return { ...about, what, todo: `run this as uid ${stats.uid}` };
  }
  // Root may write everything, but the gateway often may not write what root created.
  if (process.getuid?.() !== 0 || home.uid === 0 || mayWrite(stats, home)) return null;
  const what = `it belongs to uid ${stats.uid}, and its home to uid ${home.uid}: ${LOST} by a gateway of that user`;
  return { ...about, what, todo: 'give it to the user of the home' };
}

/** Whether the owner of the home may write it. Only the home's group is known, not the owner's other groups. */
function mayWrite({ uid, gid, mode }: Stats, home: Stats): boolean {
  if (uid === home.uid) return (mode & 0o200) !== 0;
  return (mode & (gid === home.gid ? 0o020 : 0o002)) !== 0;
}
