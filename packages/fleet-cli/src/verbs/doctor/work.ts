/**
 * Examines the registers of work in hand: entries that cannot be read, and work that may or may not run. Both
 * count as running.
 * Reading claims is the ledger's; finding their files is `claims.ts`.
 */

import { join } from 'node:path';
import { type RegisterRead, readRegister, type WorkRecord } from '@fleet-estop/ledger';
import { byAge, titleOf, workOwner, workSince } from '../../fleet/work-text.ts';
import { counted } from '../../text/fields.ts';
import { shellWord } from '../../text/visible.ts';
import { claimsFolder, claimsOf, registerFolder } from './claims.ts';
import { type ExaminedFleet, type Finding, firstFew } from './finding.ts';
import { homesOf } from './homes.ts';

type Missed = Extract<RegisterRead, { complete: false }>['unreadable'][number];

/** A busy register may change while it is read; it is reported only after this many tries. */
const MAX_LOOKS = 3;

export function examineWork(fleet: ExaminedFleet): Finding[] {
  const homes = homesOf(fleet);
  const findings: Finding[] = [];
  let running = 0;
  for (const home of homes) {
    const read = readSettled(home);
    running += read.work.filter(({ fate }) => fate === 'running').length;
    if (!read.complete) findings.push(...unreadableIn(home, read.unreadable));
    findings.push(...unprovenIn(home, read.work, fleet.nowMs), ...abandonedIn(home, read.work));
  }
  if (findings.length > 0) return findings;
  const what = `${counted(running, 'piece')} of work in hand in ${counted(homes.length, 'home')}, and every owner of it is alive`;
  return [{ level: 'ok', check: 'work', what }];
}

function readSettled(home: string): RegisterRead {
  for (let looks = 1; ; looks++) {
    const read = readRegister(home);
    const isChanging = !read.complete && read.unreadable.some(({ why }) => why === 'changing');
    if (!isChanging || looks === MAX_LOOKS) return read;
  }
}

const unreadableIn = (home: string, missed: readonly Missed[]): Finding[] =>
  firstFew(
    missed,
    ({ path, why }) => unreadable(join(registerFolder(home), path), why),
    (others) => ({
      level: 'problem',
      check: 'work',
      what: `and ${others.length} more of this register, each of which counts as work in hand`,
      where: claimsFolder(home),
      ...(others.some(({ why }) => why !== NO_CLAIM) ? { unexamined: true as const } : {}),
    }),
  );

const NO_CLAIM = 'not-a-claim';
const COUNTS = 'and it counts as work in hand while it is there';

function unreadable(where: string, why: string): Finding {
  const about = { level: 'problem', check: 'work', where } as const;
  switch (why) {
    case NO_CLAIM:
      return {
        ...about,
        what: `it is not a claim, ${COUNTS}`,
        todo: 'look at it, and move it elsewhere',
      };
    case 'too-many': {
      const what = 'it has more entries than are read: the rest is unknown';
      return {
        ...about,
        what,
        todo: 'find the program that begins so much work and ends none',
        unexamined: true,
      };
    }
    case 'changing': {
      const what = 'it changed during every read: whether that work runs is unknown';
      return { ...about, level: 'warning', what, todo: 'look again', unexamined: true };
    }
    default: {
      const what = `what is in hand there cannot be read (${why}), ${COUNTS}`;
      const todo = 'repair it, or run this as the user that owns it';
      return { ...about, what, todo, unexamined: true };
    }
  }
}

function unprovenIn(home: string, work: readonly WorkRecord[], nowMs: number): Finding[] {
  const unproven = work.filter(({ fate }) => fate === 'unproven').sort(byAge);
  if (unproven.length === 0) return [];
  const claims = claimsOf(home, work);
  return firstFew(
    unproven,
    (record) => {
      const claim = claims.get(record);
      return {
        level: 'warning',
        check: 'work',
        what: `whether this still runs is unknown, and so it counts as running: ${titleOf(record)}, since ${workSince(record, nowMs)}, of ${workOwner(record)}`,
        where: claim ?? claimsFolder(home),
        todo:
          claim === undefined
            ? 'look again; if it stays, look for the claim that says this'
            : `once it is certain that it does not run: rm ${shellWord(claim)}`,
      };
    },
    (others) => ({
      level: 'warning',
      check: 'work',
      what: `and ${others.length} more, begun later: whether they run is unknown too`,
      where: claimsFolder(home),
      todo: 'settle those above, and look again',
    }),
  );
}

function abandonedIn(home: string, work: readonly WorkRecord[]): Finding[] {
  const abandoned = work.filter(({ fate }) => fate === 'abandoned');
  const [first] = abandoned;
  if (first === undefined) return [];
  const others = abandoned.length === 1 ? '' : ` and ${abandoned.length - 1} more`;
  const what = `cut off when its process ended: ${titleOf(first)}${others}; the next gateway of this home removes the record; a gateway in a container cannot see that, and counts it until then`;
  const todo = 'fleet doctor --fix';
  return [{ level: 'note', check: 'work', what, where: claimsFolder(home), todo }];
}
