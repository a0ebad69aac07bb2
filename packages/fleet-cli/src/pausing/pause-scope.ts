/**
 * Pauses one scope: the result, its exit code and its journal record.
 * Several scopes in one call are `place-holds.ts`.
 */
import {
  type Actor,
  type ArmRequest,
  type ArmResult,
  arm,
  lostFolder,
  type Patience,
  profilesSharing,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { EXIT, type ExitCode, worstOf } from '../cli/exit-codes.ts';
import type { Session } from '../fleet/session.ts';
import { readScope } from '../fleet/state.ts';
import { attempt, recordInJournal, type Target, type UnexpectedError } from '../fleet/targets.ts';
import { unchangedResult } from './already-held.ts';

/** With an explicit holder, because the core's default holder is not a person, and the actor of the journal. */
export type NamedArmRequest = ArmRequest & { readonly holder: string; readonly actor: Actor };

/** The result for one scope. */
export interface Pausing {
  readonly target: Target;
  /** When the write began, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: ArmResult | UnexpectedError;
  /** The hold was there already as asked for, and nothing was written. */
  readonly alreadyHeld: boolean;
  readonly before: ScopeState;
  /** The whole chain afterwards, nearest first. */
  readonly after: readonly ScopeState[];
  /** Profiles whose new work this hold refuses; null: the profiles cannot be listed. */
  readonly covers: readonly string[] | null;
}

export function pauseOne(
  session: Session,
  target: Target,
  request: NamedArmRequest,
  patience: Partial<Patience>,
): Pausing {
  const { disk } = session;
  const lost = lostFolder(target.chain);
  const before = readScope(disk, target.scope);
  const beganMs = Date.now();
  const unchanged = unchangedResult(before, request);
  if (unchanged !== null) {
    const after = target.chain.map((scope) => readScope(disk, scope));
    // If it was lifted between the two reads, it is placed below.
    if (stillStands(unchanged, after)) {
      const covers = coversOf(session, target);
      return { target, beganMs, result: unchanged, alreadyHeld: true, before, after, covers };
    }
  }
  const armed = attempt(() => arm(disk, target.scope.dir, request, patience));
  // INVARIANT 5: a hold in a folder that took the place of the fleet's binds nobody.
  const why = lost();
  const result = why === null ? armed : placedNowhere(why);
  const after = target.chain.map((scope) => readScope(disk, scope));
  const covers = coversOf(session, target);
  return { target, beganMs, result, alreadyHeld: false, before, after, covers };
}

const placedNowhere = (why: string): ArmResult => ({
  armed: false,
  why,
  engaged: false,
  holds: [],
  generation: null,
});

function coversOf({ selection: { listing } }: Session, { profile }: Target): string[] | null {
  if (profile !== null) return [profile, ...profilesSharing(listing.profiles, profile)];
  return listing.unreadable === undefined ? listing.profiles.map(({ name }) => name) : null;
}

export const hasWritten = ({ result, alreadyHeld }: Pausing): boolean =>
  !alreadyHeld && !('unexpectedError' in result) && result.armed;

export function recordPause(
  session: Session,
  { target, result, alreadyHeld }: Pausing,
  actor: Actor,
): string[] {
  if (alreadyHeld || 'unexpectedError' in result || !result.armed) return [];
  return recordInJournal(session, {
    event: result.replaced === null ? 'arm' : 're-arm',
    scope: target.scope.dir,
    ...(target.profile === null ? {} : { profile: target.profile }),
    holds: [result.hold],
    generation: result.generation,
    actor,
  });
}

export function exitOfPause(pausings: readonly Pausing[]): ExitCode {
  return worstOf(
    pausings.map(({ result, after }) => {
      if ('unexpectedError' in result) return EXIT.notAsAsked;
      if (result.armed) return stillStands(result, after) ? EXIT.done : EXIT.notAsAsked;
      return result.why === 'conflict' ? EXIT.lostCompareAndSet : EXIT.notAsAsked;
    }),
  );
}

type Armed = Extract<ArmResult, { armed: true }>;

/** Whether the placed hold was still there when its chain was read again, its own scope first (`after`). */
export function stillStands({ hold, degraded }: Armed, after: readonly ScopeState[]): boolean {
  const [own] = after;
  if (own === undefined || !own.check.engaged) return false;
  // An empty file or folder has no id, and a sentinel that cannot be read may be ours.
  if (degraded === 'empty' || degraded === 'folder' || own.check.unreadable !== undefined)
    return true;
  return own.check.holds.some(({ id, unreadable }) => id === hold.id || unreadable !== undefined);
}
