/**
 * The hold of one run (a window, a restart) in one scope: placed with a deadline, renewed while the run
 * lasts, and lifted at its end. It never changes a hold that this run did not place.
 * When to look is up to the verb, and so are the messages; lifting is `lift-own-hold.ts`.
 */
import {
  type Actor,
  type ArmRequest,
  type ArmResult,
  arm,
  type DiskPort,
  formatInstant,
  type Hold,
  lostFolder,
  type Patience,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { readScope } from '../fleet/state.ts';
import type { Target } from '../fleet/targets.ts';
import { findHold, type HoldSearch } from './find.ts';
import { liftOwnHold } from './lift-own-hold.ts';
import type { EndResult, HoldChange, PlaceResult } from './outcomes.ts';

export interface Plan {
  readonly holder: string;
  readonly reason: string;
  readonly ttlMs: number;
  readonly actor: Actor;
  readonly patience: Partial<Patience>;
}

export interface OwnHold {
  readonly target: Target;
  readonly place: () => PlaceResult;
  readonly look: () => HoldChange | null;
  /** The latest time for the next look, in milliseconds since the epoch; always in the future. */
  readonly nextLookMs: () => number;
  readonly end: () => Promise<EndResult>;
  /**
   * Takes its deadline away, with this reason, so that it outlives this run. null: somebody lifted it, and
   * it is not placed again; otherwise the hold, or why it could not be changed.
   */
  readonly keepFor: (reason: string) => Hold | { readonly why: string } | null;
}

/**
 * How often to read and try again when others write at the same time: the maximum number of holders of a
 * scope.
 */
const TRIES = 64;
/**
 * A short patience, because nothing else runs meanwhile, and a failed renewal is retried well before the
 * deadline.
 */
const RENEWING = { waitMs: 100 };
/** Milliseconds until the next look when another operation is unfinished. */
const UNSETTLED_MS = 500;
/** The operation may have written the hold although it reports one of these. */
const UNSURE: ReadonlySet<string> = new Set(['busy', 'overtaken', 'unseen']);

export function ownHold(disk: DiskPort, target: Target, plan: Plan): OwnHold {
  const { scope } = target;
  const { holder, reason, ttlMs, actor, patience } = plan;
  /** While the command runs, the deadline is always at least this far away. */
  const leastMs = (ttlMs * 2) / 3;
  const retryMs = Math.min(10_000, Math.max(200, ttlMs / 30));
  /**
   * Known ids. A hold that was written although `arm` reported a failure is recognised by its actor:
   * `isMine`.
   */
  const ids = new Set<string>();
  let mayStand = false;
  let deadlineMs = 0;
  /** When to retry after a failure; 0: at once. */
  let retryAtMs = 0;
  let unsettledUntilMs = 0;
  let lapsedAtMs: number | null = null;
  let inTrouble = false;
  let taken = false;

  const isMine = (hold: Hold): boolean =>
    ids.has(hold.id) || (hold.holder === holder && isActor(hold.actor, actor));
  const find = (): HoldSearch => findHold(disk, scope, isMine);

  const request = (extra: Partial<ArmRequest>, { check }: ScopeState): ArmRequest => ({
    holder,
    actor,
    expiresAt: formatInstant(disk.now() + ttlMs),
    ...extra,
    // Compare and set: a lift or a new hold of somebody else after the last read is neither undone nor
    // replaced.
    ...(!check.engaged
      ? { expectGeneration: null }
      : check.generation === null
        ? {}
        : { expectGeneration: check.generation }),
  });

  const keep = ({ hold }: Extract<ArmResult, { armed: true }>): void => {
    ids.add(hold.id);
    deadlineMs = deadlineOf(hold);
    retryAtMs = 0;
  };

  /** Places the hold, unless the holder has one there already. */
  const placeFresh = (): PlaceResult => {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = readScope(disk, scope);
      const { check } = before;
      if (check.engaged && check.holds.some((hold) => hold.holder === holder)) {
        return { placed: false, why: 'name-taken' };
      }
      const result = arm(disk, scope.dir, request({ reason, allow: null }, before), patience);
      if (result.armed || UNSURE.has(result.why)) mayStand = true;
      if (!result.armed) {
        if (result.why === 'conflict') continue;
        return { placed: false, why: result.why };
      }
      keep(result);
      // An empty file has no deadline, and would stay if this process were killed. `end` lifts it.
      if (result.hold.expiresAtMs === null) return { placed: false, why: 'no-deadline' };
      const { hold, generation } = result;
      return { placed: true, hold, generation, before, after: readScope(disk, scope) };
    }
    return { placed: false, why: 'conflict' };
  };

  /** As `placeFresh`. What was placed where the fleet is no longer is lifted by `end`. */
  const place = (): PlaceResult => {
    const lost = lostFolder(target.chain);
    const placing = placeFresh();
    const why = lost();
    return why === null ? placing : { placed: false, why };
  };

  const renew = (state: ScopeState, mine: Hold): HoldChange | 'again' | null => {
    const fromMs = deadlineMs;
    const result = arm(disk, scope.dir, request({ reason: mine.reason }, state), RENEWING);
    if (result.armed) {
      const wasInTrouble = inTrouble;
      inTrouble = false;
      keep(result);
      const { hold: again, generation } = result;
      // It expired between the read and the write, beside holds of others, so the generation did not change.
      if (result.replaced === null) {
        return { kind: 'lapsed', fromMs, toMs: disk.now(), again, generation };
      }
      return wasInTrouble ? { kind: 'renewed-at-last', deadlineMs } : null;
    }
    if (result.why === 'conflict' || result.why === 'overtaken') return 'again';
    retryAtMs = disk.now() + retryMs;
    if (inTrouble) return null;
    inTrouble = true;
    return { kind: 'not-renewed', why: result.why, deadlineMs };
  };

  const placeAgain = (): HoldChange | null => {
    const wasReported = lapsedAtMs !== null;
    const fromMs = lapsedAtMs ?? deadlineMs;
    lapsedAtMs = fromMs;
    const placing = placeFresh();
    const toMs = disk.now();
    if (placing.placed) {
      lapsedAtMs = null;
      inTrouble = false;
      const { hold: again, generation } = placing;
      return { kind: 'lapsed', fromMs, toMs, again, generation };
    }
    retryAtMs = toMs + retryMs;
    if (wasReported) return null;
    return { kind: 'lapsed', fromMs, toMs, again: { why: placing.why }, generation: null };
  };

  const look = (): HoldChange | null => {
    for (let tries = 0; tries < TRIES && !taken; tries++) {
      const { state, mine, certain } = find();
      // Read after the look, so that a deadline that the look saw as passed has passed by this time too.
      const now = disk.now();
      unsettledUntilMs = 0;
      if (mine !== null) {
        // Others may have moved the deadline (`fleet extend`).
        deadlineMs = deadlineOf(mine);
        if (now < retryAtMs || now < deadlineMs - leastMs) return null;
        const outcome = renew(state, mine);
        if (outcome !== 'again') return outcome;
      } else if (!certain) {
        unsettledUntilMs = now + UNSETTLED_MS;
        return null;
      } else if (lapsedAtMs !== null) {
        return now < retryAtMs ? null : placeAgain();
      } else if (now >= deadlineMs) {
        return placeAgain();
      } else {
        taken = true;
        return { kind: 'taken' };
      }
    }
    retryAtMs = disk.now() + retryMs;
    return null;
  };

  const nextLookMs = (): number => {
    if (taken) return Number.POSITIVE_INFINITY;
    if (unsettledUntilMs > 0) return unsettledUntilMs;
    return lapsedAtMs === null ? Math.max(retryAtMs, deadlineMs - leastMs) : retryAtMs;
  };

  const end = async (): Promise<EndResult> => {
    if (!mayStand) return { kind: 'never-placed' };
    const outcome = await liftOwnHold(disk, target, find, patience);
    if (outcome !== 'gone') return outcome;
    if (ids.size === 0) return { kind: 'never-placed' };
    return { kind: 'gone', deadlineMs, toMs: disk.now(), reported: taken || lapsedAtMs !== null };
  };

  const keepFor = (why: string): Hold | { readonly why: string } | null => {
    for (let tries = 0; tries < TRIES && !taken; tries++) {
      const { state, mine, certain } = find();
      if (mine === null && certain && disk.now() < deadlineMs) return null;
      const lasting = request({ reason: why, expiresAt: null }, state);
      const result = arm(disk, scope.dir, lasting, patience);
      if (result.armed) {
        keep(result);
        return result.hold;
      }
      if (result.why !== 'conflict' && result.why !== 'overtaken') return { why: result.why };
    }
    return taken ? null : { why: 'conflict' };
  };

  return { target, place, look, nextLookMs, end, keepFor };
}

const deadlineOf = ({ expiresAtMs }: Hold): number => expiresAtMs ?? Number.POSITIVE_INFINITY;

/** Process ids are reused, but the holder's name is unique to a run, and both are compared. */
const isActor = (found: Actor | null, own: Actor): boolean =>
  found !== null && found.host === own.host && found.pid === own.pid && found.via === own.via;
