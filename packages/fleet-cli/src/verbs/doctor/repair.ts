/**
 * `fleet doctor --fix`: finishes operations of dead owners, removes sentinels whose holds have all expired, and
 * removes records of work that was cut off when its process ended.
 * Everything else is left to people.
 */
import { clearAbandoned } from '@fleet-estop/ledger';
import { check, nodeDisk, recover, retire, type Scope } from '@fleet-estop/sentinel-core';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { sentinelOf } from '../../fleet/state.ts';
import { attempt, recordInJournal } from '../../fleet/targets.ts';
import { titleOf } from '../../fleet/work-text.ts';
import { whyText } from '../../text/why.ts';
import type { ExaminedFleet, Finding } from './finding.ts';
import { homesOf } from './homes.ts';
import { type Leftover, leftoversIn } from './leftovers.ts';
import { settleRestarts } from './restarts.ts';

export interface Repair {
  readonly what: string;
  readonly where: string;
}

export interface Repairs {
  readonly repaired: readonly Repair[];
  /** For stderr. */
  readonly notices: readonly string[];
}

/**
 * Milliseconds to wait for an owner that may be alive, before its tenure is taken over. Taking over is
 * always safe.
 */
const PATIENCE_MS = 2000;

export async function repair(fleet: ExaminedFleet, session: Session): Promise<Repairs> {
  const notices: string[] = [];
  const repaired: Repair[] = [];
  const disk = nodeDisk({ patienceMs: PATIENCE_MS });
  const recoverScope = (scope: Scope): boolean => {
    const before = leftoversOf(scope);
    if (before.length === 0) return true;
    const report = attempt(() => recover(disk, scope.dir));
    const after = new Set(leftoversOf(scope).map(({ path }) => path));
    for (const { path, kind } of before) {
      if (!after.has(path)) repaired.push({ what: ENDED[kind], where: path });
    }
    if ('unexpectedError' in report)
      notices.push(`NOT repaired: ${scope.dir}: ${report.unexpectedError}`);
    return after.size === 0;
  };
  const leftoversOf = (scope: Scope): Leftover[] =>
    leftoversIn(disk, scope).flatMap((one) => (isRepairable(one) ? [one] : []));

  // Owners that may be alive get time to finish: one wait for all of them.
  const unsettled = fleet.scopes.filter((scope) => !recoverScope(scope));
  if (unsettled.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS + 50));
    for (const scope of unsettled) recoverScope(scope);
  }
  for (const scope of fleet.scopes) notices.push(...retireIn(scope));
  for (const home of homesOf(fleet)) notices.push(...clearIn(home));
  const restarts = await settleRestarts(fleet, disk);
  repaired.push(...restarts.repaired);
  notices.push(...restarts.notices);
  return { repaired, notices };

  /**
   * A gateway in a container cannot see that a process of this host has ended, and counts its work until
   * then.
   */
  function clearIn(home: string): string[] {
    const { cleared, left } = clearAbandoned(home);
    for (const { work, path } of cleared) {
      const what = `removed the record of work that was cut off when its process ended: ${titleOf(work)}`;
      repaired.push({ what, where: path });
    }
    return left.map(({ path, why }) => `NOT repaired: ${path}: ${whyText(why)}`);
  }

  function retireIn(scope: Scope): string[] {
    const seen = check(disk, scope.dir);
    if (seen.engaged || !seen.expired) return [];
    const result = attempt(() => retire(disk, scope.dir));
    const where = sentinelOf(scope);
    if ('unexpectedError' in result) return [`NOT repaired: ${where}: ${result.unexpectedError}`];
    if (!result.retired) return [`NOT repaired: ${where}: ${whyText(result.why)}`];
    repaired.push({ what: 'removed a sentinel whose holds had all expired', where });
    return recordInJournal(session, {
      event: 'retire',
      scope: scope.dir,
      ...(scope.profile === undefined ? {} : { profile: scope.profile }),
      holds: result.holds,
      generation: null,
      actor: actorOf('doctor'),
    });
  }
}

const ENDED = {
  tenure: 'finished what its owner had begun',
  staging: 'removed staging that its owner had left',
  odd: '',
} as const;

/** Folders that were moved aside are never removed. */
const isRepairable = (one: Leftover | Finding): one is Leftover =>
  'kind' in one && one.kind !== 'odd';
