/**
 * Settles what a restart left that died half-way: undoes it, finishes it, or leaves the profile held with a
 * reason. The watcher and `fleet doctor --fix` both call this.
 * It touches only the hold of that restart.
 */
import {
  type Actor,
  appendJournal,
  arm,
  check,
  type DiskPort,
  formatInstant,
  type Hold,
  lift,
  retire,
} from '@fleet-estop/sentinel-core';
import { readRestart, removeRestart } from './restart-file.ts';
import { isUndoable, type RestartRecord } from './restart-record.ts';

/** Where a restart may have left something. */
export interface RestartedProfile {
  readonly root: string;
  readonly profile: string;
  readonly home: string;
}

export type Settlement =
  | { readonly kind: 'none' }
  /** Its process lives, or may: nothing was done. */
  | { readonly kind: 'running'; readonly record: RestartRecord; readonly certain: boolean }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** Nothing had been restarted: its hold is lifted, and the record removed. */
  | { readonly kind: 'undone'; readonly record: RestartRecord; readonly lifted: readonly Hold[] }
  /** A new instance serves the profile: the hold is lifted, and the record removed. */
  | { readonly kind: 'finished'; readonly record: RestartRecord; readonly lifted: readonly Hold[] }
  /** No new instance was seen. The hold stands without a deadline. `changed`: this call made it so. */
  | {
      readonly kind: 'held';
      readonly record: RestartRecord;
      readonly hold: Hold;
      readonly changed: boolean;
    }
  /** Its hold had gone: lifted by somebody, or by its deadline. The record is removed. */
  | { readonly kind: 'lapsed'; readonly record: RestartRecord }
  /** The disk refused; it is tried again later. */
  | { readonly kind: 'failed'; readonly record: RestartRecord; readonly why: string };

/** A gateway that serves the profile, as the watcher knows it. */
export interface ServingInstance {
  readonly instance: string;
  readonly link: 'connected' | 'acknowledged' | 'stale' | 'gone';
  /** The newest state of the profile is in force at its doors, as it reported. */
  readonly hasAcknowledged: boolean;
}

/** `serving`: who serves the profile; null where that is unknown. Throws no errno. */
export function settleRestart(
  disk: DiskPort,
  { root, profile, home }: RestartedProfile,
  serving: () => readonly ServingInstance[] | null,
  actor: Actor,
): Settlement {
  const read = readRestart(home);
  if (read.state !== 'read') {
    return read.state === 'none' ? { kind: 'none' } : { kind: 'unreadable', why: read.why };
  }
  const { record, fate } = read;
  if (fate !== 'gone') return { kind: 'running', record, certain: fate === 'alive' };
  const undo = isUndoable(record);
  return undo || isServedAnew(record, serving()) ? end(undo ? 'undone' : 'finished') : keepHeld();

  function end(kind: 'undone' | 'finished'): Settlement {
    const lifted: Hold[] = [];
    for (const hold of ownHolds(disk, home, record)) {
      const result = lift(disk, home, { id: hold.id });
      if (!result.lifted) {
        if (result.why === 'absent' || result.why === 'not-held') continue;
        if (result.why !== 'expired') return { kind: 'failed', record, why: result.why };
      } else {
        lifted.push(...result.holds);
      }
    }
    // INVARIANT 5: lifted is what is gone from disk afterwards.
    if (ownHolds(disk, home, record).length > 0) return { kind: 'failed', record, why: 'busy' };
    // Readers of the oldest form are held while the file exists, expired or not.
    const seen = check(disk, home);
    if (!seen.engaged && seen.expired) retire(disk, home);
    if (lifted.length > 0) journal('lift', lifted);
    return removed({ kind, record, lifted });
  }

  function keepHeld(): Settlement {
    const [hold] = ownHolds(disk, home, record);
    if (hold === undefined) return removed({ kind: 'lapsed', record });
    if (hold.expiresAtMs === null) return { kind: 'held', record, hold, changed: false };
    const { holder, step, since } = record;
    const reason = `restart ${record.id} died while ${step} (since ${since}), and no new instance was seen${record.reason === null ? '' : `; it was for: ${record.reason}`}`;
    const result = arm(disk, home, { holder, actor, reason, expiresAt: null });
    if (!result.armed) return { kind: 'failed', record, why: result.why };
    journal('arm', [result.hold]);
    return { kind: 'held', record, hold: result.hold, changed: true };
  }

  function removed(settled: Exclude<Settlement, { kind: 'none' | 'unreadable' }>): Settlement {
    const why = removeRestart(home, record.id);
    if (why === '' || why === 'ENOENT' || why === 'not-ours') return settled;
    return { kind: 'failed', record, why };
  }

  function journal(event: 'arm' | 'lift', holds: readonly Hold[]): void {
    const { generation } = check(disk, home) as { generation?: string | null };
    appendJournal(
      root,
      {
        event,
        scope: home,
        profile,
        holds,
        generation: generation ?? null,
        actor,
        operation: record.id,
      },
      Date.now(),
    );
  }
}

const ownHolds = (disk: DiskPort, home: string, { holder }: RestartRecord): readonly Hold[] => {
  const seen = check(disk, home);
  return seen.engaged ? seen.holds.filter((hold) => hold.holder === holder) : [];
};

/** Only new instances are connected, and all of them have acknowledged. What is unknown is not so. */
function isServedAnew(
  { oldInstances }: RestartRecord,
  serving: readonly ServingInstance[] | null,
): boolean {
  const connected = (serving ?? []).filter(({ link }) => link !== 'gone');
  return (
    connected.length > 0 &&
    connected.every(
      ({ instance, link, hasAcknowledged }) =>
        !oldInstances.includes(instance) && link !== 'stale' && hasAcknowledged,
    )
  );
}

/** The record of the next step of a restart. */
export const atStep = (
  record: RestartRecord,
  step: RestartRecord['step'],
  more: Partial<Pick<RestartRecord, 'hold' | 'oldInstances'>> = {},
): RestartRecord => ({ ...record, ...more, step, since: formatInstant(Date.now()) });
