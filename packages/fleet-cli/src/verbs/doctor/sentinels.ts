/**
 * Examines the sentinels: those that cannot be read, are not files, or whose holds have all expired, and holds
 * that reappeared.
 */

import { lstatSync, type Stats } from 'node:fs';
import {
  check,
  type Hold,
  type RootChoice,
  type Scope,
  type ScopeCheck,
} from '@fleet-estop/sentinel-core';
import { howToLift } from '../../fleet/hold-text.ts';
import {
  type ReappearedHolds,
  reappearedHolds,
  reappearedText,
} from '../../fleet/reappeared-holds.ts';
import { sentinelOf, unreadableIn } from '../../fleet/state.ts';
import { counted } from '../../text/fields.ts';
import { unreadText } from '../../text/why.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

type Engaged = Extract<ScopeCheck, { engaged: true }>;

/** Errors that say nothing about the file itself: another user may be able to read it. */
const BARRED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EIO', 'ESTALE', 'ETIMEDOUT']);

export function examineSentinels({ root, scopes, disk }: ExaminedFleet): Finding[] {
  const findings: Finding[] = [];
  const states = scopes.map((scope) => ({ scope, check: check(disk, scope.dir) }));
  const back = reappearedHolds(root.root, disk, states);
  let held = 0;
  for (const { scope, check: seen } of states) {
    if (seen.engaged) {
      held += 1;
      findings.push(...examineHeld(root, scope, seen));
      findings.push(...seen.holds.flatMap((hold) => reappearedIn(root, scope, hold, back)));
    } else if (seen.expired) {
      findings.push(expiredIn(scope));
    }
  }
  if (findings.length > 0) return findings;
  const what = `${counted(scopes.length, 'scope')}, of which ${held === 1 ? '1 is' : `${held} are`} held, and all sentinels can be read`;
  return [{ level: 'ok', check: 'sentinels', what }];
}

/** The oldest readers are held while the file exists, expired or not. */
const expiredIn = (scope: Scope): Finding => ({
  level: 'warning',
  check: 'sentinels',
  what: 'all its holds have expired, and the file still holds the oldest gateways',
  where: sentinelOf(scope),
  todo: 'fleet doctor --fix',
});

function reappearedIn(
  root: RootChoice,
  scope: Scope,
  hold: Hold,
  back: ReappearedHolds,
): Finding[] {
  const end = back.get(hold.id);
  if (end === undefined) return [];
  const what = `${hold.holder === null ? 'an anonymous hold' : `the hold of ${hold.holder}`} ${reappearedText(end)}`;
  const todo = `if nobody meant that: ${howToLift(root, scope, hold)}`;
  return [{ level: 'warning', check: 'sentinels', what, where: sentinelOf(scope), todo }];
}

function examineHeld(root: RootChoice, scope: Scope, seen: Engaged): Finding[] {
  const about = { check: 'sentinels', where: sentinelOf(scope) } as const;
  const [hold] = seen.holds;
  const lift = hold === undefined ? '' : howToLift(root, scope, hold);
  if (seen.overdue) {
    const what =
      'all its holds have expired, but this user may not remove the file, so it still holds';
    return [{ ...about, level: 'problem', what, todo: `as a user who may: ${lift}` }];
  }
  const why = unreadableIn({ scope, check: seen });
  if (why === null) return seen.holds.flatMap((one) => examineDeadline(about, one));
  if (BARRED.has(why)) {
    const what = `it cannot be read, and so it holds: ${unreadText(why)}`;
    const todo = 'run this as the user that owns it, or repair its permissions';
    return [{ ...about, level: 'problem', what, todo, unexamined: true }];
  }
  const kind = kindOf(about.where);
  const what =
    kind === null
      ? `it cannot be read, and so it holds: ${unreadText(why)}`
      : `it is ${kind} and not a file, and so it holds`;
  return [{ ...about, level: 'problem', what, todo: `lift it: ${lift}` }];
}

function examineDeadline(
  about: Pick<Finding, 'check' | 'where'>,
  { expiresAt, expiresAtMs, unreadable }: Hold,
): Finding[] {
  if (expiresAt === null || expiresAtMs !== null || unreadable !== undefined) return [];
  const what = `its deadline \`${expiresAt}\` cannot be read as a time, so the hold never expires`;
  return [{ ...about, level: 'warning', what, todo: 'pause again with --ttl or --no-ttl' }];
}

/** null: a file, or unknown. */
export function kindOf(path: string): string | null {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
  if (stats?.isDirectory()) return 'a folder';
  if (stats?.isSymbolicLink()) return 'a symbolic link';
  if (stats?.isFIFO()) return 'a FIFO';
  if (stats?.isSocket()) return 'a socket';
  return stats?.isBlockDevice() || stats?.isCharacterDevice() ? 'a device' : null;
}
