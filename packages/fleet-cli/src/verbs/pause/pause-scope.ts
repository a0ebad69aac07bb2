/**
 * Pauses one scope, and says what became of it. What is asked for is the command's.
 */
import {
  type ArmRequest,
  type ArmResult,
  arm,
  type Patience,
  profilesSharing,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { EXIT, type ExitCode, worstOf } from '../../cli/exit-codes.ts';
import { actorOf } from '../../fleet/actor.ts';
import type { Session } from '../../fleet/session.ts';
import { readScope } from '../../fleet/state.ts';
import { stillStands } from '../../fleet/still-stands.ts';
import { attempt, record, type Surprise, type Target } from '../../fleet/targets.ts';
import { standingAsAsked } from './already-held.ts';

/** The core's own default is no person. */
export type Request = ArmRequest & { readonly holder: string };

/** What became of one scope. */
export interface Pausing {
  readonly target: Target;
  /** When it was begun, milliseconds since the epoch. */
  readonly beganMs: number;
  readonly result: ArmResult | Surprise;
  /** This holder's hold stood as it was asked for, and nothing was written. */
  readonly alreadyHeld: boolean;
  readonly before: ScopeState;
  /** The whole chain afterwards, nearest first. */
  readonly after: readonly ScopeState[];
  /** Profiles whose new work this hold refuses; null: which there are cannot be read. */
  readonly covers: readonly string[] | null;
}

export function pauseOne(
  session: Session,
  target: Target,
  request: Request,
  patience: Partial<Patience>,
): Pausing {
  const { disk } = session;
  const before = readScope(disk, target.scope);
  const beganMs = Date.now();
  const standing = standingAsAsked(before, request);
  if (standing !== null) {
    const after = target.chain.map((scope) => readScope(disk, scope));
    // Lifted between the two looks: then it is placed.
    if (stillStands(standing, after)) {
      const covers = coversOf(session, target);
      return { target, beganMs, result: standing, alreadyHeld: true, before, after, covers };
    }
  }
  const result = attempt(() => arm(disk, target.scope.dir, request, patience));
  const after = target.chain.map((scope) => readScope(disk, scope));
  const covers = coversOf(session, target);
  return { target, beganMs, result, alreadyHeld: false, before, after, covers };
}

export function coversOf(
  { selection: { listing } }: Session,
  { profile }: Target,
): string[] | null {
  if (profile !== null) return [profile, ...profilesSharing(listing.profiles, profile)];
  return listing.unreadable === undefined ? listing.profiles.map(({ name }) => name) : null;
}

export const hasChanged = ({ result, alreadyHeld }: Pausing): boolean =>
  !alreadyHeld && !('surprise' in result) && result.armed;

export function journal(session: Session, { target, result, alreadyHeld }: Pausing): string[] {
  if (alreadyHeld || 'surprise' in result || !result.armed) return [];
  return record(session, {
    event: result.replaced === null ? 'arm' : 're-arm',
    scope: target.scope.dir,
    ...(target.profile === null ? {} : { profile: target.profile }),
    holds: [result.hold],
    generation: result.generation,
    actor: actorOf('pause'),
  });
}

export function exitOfPause(pausings: readonly Pausing[]): ExitCode {
  return worstOf(
    pausings.map(({ result, after }) => {
      if ('surprise' in result) return EXIT.notAsAsked;
      if (result.armed) return stillStands(result, after) ? EXIT.done : EXIT.notAsAsked;
      return result.why === 'conflict' ? EXIT.lostCompareAndSet : EXIT.notAsAsked;
    }),
  );
}
