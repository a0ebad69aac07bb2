/**
 * The restart's own holds on the profiles of one group, and its records in their homes: placed together,
 * renewed while the restart lives, and lifted or left together.
 */
import {
  atStep,
  beginRestart,
  type RestartRecord,
  type RestartStep,
  readRestart,
  removeRestart,
  settleRestart,
  writeRestart,
} from '@fleet-estop/ledger';
import { type Hold, type Profile, watchForChanges } from '@fleet-estop/sentinel-core';
import { holderName, liftCommand, scopeName } from '../../fleet/hold-text.ts';
import type { Session } from '../../fleet/session.ts';
import { attempt, recordInJournal, type Target } from '../../fleet/targets.ts';
import { ownHold, type Plan } from '../../own-hold/own-hold.ts';
import { whyText } from '../../text/why.ts';

/** Milliseconds between two looks at least. */
const MIN_LOOK_MS = 100;

export interface HeldProfiles {
  /** null: all are held; otherwise why not, and nothing of this restart is left. */
  readonly place: () => Promise<string | null>;
  /** Writes the step into every record before it begins. Returns why that failed, or null. */
  readonly enter: (step: RestartStep, oldInstances?: readonly string[]) => string | null;
  /** Profiles whose hold somebody lifted, or that lapsed. */
  readonly open: () => readonly string[];
  /** Lifts the own holds, reads back, and removes the records. */
  readonly lift: () => Promise<Lifted>;
  /** Leaves the holds without a deadline. Returns lines about it. `records`: whether they stay, too. */
  readonly leave: (reason: string, records: 'kept' | 'removed') => readonly string[];
  readonly close: () => void;
}

export interface Lifted {
  readonly failures: readonly string[];
  /** What still holds the profiles, in lines. */
  readonly others: readonly string[];
}

export interface HoldersOf {
  readonly session: Session;
  readonly plan: Plan;
  readonly targets: readonly (Target & { readonly profile: string })[];
  readonly profiles: readonly Profile[];
  readonly record: RestartRecord;
  readonly warn: (line: string) => void;
}

export function heldProfiles(options: HoldersOf): HeldProfiles {
  const { session, plan, targets, warn } = options;
  const holds = targets.map((target) => ownHold(session.disk, target, plan));
  const homes = targets.map(({ scope }) => scope.dir);
  const open = new Set<string>();
  const begun: string[] = [];
  let record = options.record;
  let watch: { close(): void } | null = null;

  const journal = (target: Target, event: 'arm' | 'lift', held: readonly Hold[]): void => {
    const entry = { event, scope: target.scope.dir, holds: held, generation: null } as const;
    const profile = target.profile === null ? {} : { profile: target.profile };
    const now = { ...session, nowMs: Date.now() };
    for (const line of recordInJournal(now, { ...entry, ...profile, actor: plan.actor }))
      warn(line);
  };

  const look = () => {
    for (const one of holds) {
      const change = attempt(one.look);
      const name = one.target.profile ?? '';
      if (change === null) continue;
      if ('unexpectedError' in change) warn(`warning: ${name}: ${change.unexpectedError}`);
      else if (change.kind === 'taken' || change.kind === 'lapsed') {
        open.add(name);
        warn(`warning: ${name}: this restart's hold was lifted or lapsed`);
      } else if (change.kind === 'not-renewed') {
        warn(`warning: ${name}: the hold could not be renewed: ${whyText(change.why)}`);
      }
    }
    const nextMs = Math.min(...holds.map((one) => one.nextLookMs()));
    return { scopes: homes, deadlineMs: Math.max(nextMs, Date.now() + MIN_LOOK_MS) };
  };

  const enter = (step: RestartStep, oldInstances?: readonly string[]): string | null => {
    record = atStep(record, step, oldInstances === undefined ? {} : { oldInstances });
    for (const home of homes) {
      const why = writeRestart(home, record);
      if (why !== '') return `the record in ${home} could not be written: ${whyText(why)}`;
    }
    return null;
  };

  const removeRecords = (): string[] =>
    begun.splice(0).flatMap((home) => {
      const why = removeRestart(home, record.id);
      return why === '' || why === 'ENOENT'
        ? []
        : [`warning: ${home}: its record of this restart could not be removed: ${whyText(why)}`];
    });

  async function lift(): Promise<Lifted> {
    watch?.close();
    const failures: string[] = [];
    const others: string[] = [];
    for (const one of holds) {
      const ending = await one.end();
      if (ending.kind === 'not-lifted') {
        const { hold, why } = ending;
        const command = hold === null ? null : liftCommand(session.root, one.target.scope, hold);
        const how = command === null ? '' : `; lift it with: ${command}`;
        failures.push(`NOT lifted: ${one.target.profile}: ${whyText(why)}${how}`);
      } else if (ending.kind === 'lifted') {
        journal(one.target, 'lift', ending.holds);
        for (const { scope, check } of ending.after) {
          if (!check.engaged) continue;
          for (const hold of check.holds) {
            others.push(
              `${one.target.profile} is still held: ${scopeName(scope)} by ${holderName(hold)}`,
            );
          }
        }
      }
    }
    // A record without its hold is harmless; a hold without its record would have no debt.
    if (failures.length === 0) failures.push(...removeRecords());
    return { failures, others };
  }

  async function place(): Promise<string | null> {
    for (const home of homes) {
      const why = begin(session, options, home, record);
      if (why !== null) {
        removeRecords();
        return why;
      }
      begun.push(home);
    }
    for (const one of holds) {
      const placing = one.place();
      if (!placing.placed) {
        const why = `${one.target.profile} could not be held: ${whyText(placing.why)}`;
        const { failures } = await lift();
        return [why, ...failures].join('; ');
      }
      record = { ...record, hold: placing.hold.id };
      journal(one.target, 'arm', [placing.hold]);
    }
    watch = watchForChanges(look);
    return null;
  }

  return {
    place,
    enter,
    open: () => [...open],
    lift,
    leave(reason, records) {
      watch?.close();
      const lines = holds.flatMap((one) => {
        const name = one.target.profile;
        const kept = one.keepFor(reason);
        if (kept === null)
          return [`${name} is NOT held any more by this restart: its hold was lifted`];
        if ('why' in kept) {
          return [
            `${name}: its hold keeps its deadline, which could not be taken away: ${whyText(kept.why)}`,
          ];
        }
        journal(one.target, 'arm', [kept]);
        const command = liftCommand(session.root, one.target.scope, kept);
        return [`${name} stays held${command === null ? '' : `; once it is well: ${command}`}`];
      });
      return records === 'removed' ? [...lines, ...removeRecords()] : lines;
    },
    close: () => watch?.close(),
  };
}

/** Begins the record in one home; null: it did. */
function begin(
  { disk, root }: Session,
  { profiles, plan }: HoldersOf,
  home: string,
  record: RestartRecord,
): string | null {
  const profile = profiles.find((one) => one.home === home)?.name ?? '';
  const why = beginRestart(home, record);
  if (why === '') return null;
  if (why !== 'EEXIST') return `no record could be written in ${home}: ${whyText(why)}`;
  // Another restart's. If it died before it restarted anything, it is undone and this one goes on.
  const settled = settleRestart(disk, { root: root.root, profile, home }, () => null, plan.actor);
  if (settled.kind === 'undone' || settled.kind === 'lapsed') {
    return beginRestart(home, record) === '' ? null : underWay(profile, home);
  }
  return underWay(profile, home);
}

/** Why a restart cannot begin there; null: nothing is in its way. */
export function restartInTheWay(profile: string, home: string): string | null {
  const read = readRestart(home);
  return read.state === 'none' || (read.state === 'read' && read.fate === 'gone')
    ? null
    : underWay(profile, home);
}

function underWay(profile: string, home: string): string {
  const read = readRestart(home);
  if (read.state === 'read') {
    const { id, mark, step, since } = read.record;
    return read.fate === 'gone'
      ? `an earlier restart of ${profile} (${id}) died while ${step}: run fleet doctor --fix first`
      : `another restart of ${profile} (${id}, process ${mark.pid} on ${mark.place.host}) is under way: ${step} since ${since}`;
  }
  return `there is a record of another restart of ${profile} in ${home}/.fleet/restart.json that cannot be read: look at it, and move it elsewhere`;
}
