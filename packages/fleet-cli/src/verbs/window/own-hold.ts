/**
 * The hold of one run in one scope: placed with a deadline, kept while the command lives, and lifted
 * at the end. It never touches a hold that this run did not place.
 * When to look is `verbs/window/command.ts`; what is said about it is `verbs/window/text.ts`.
 */
import {
  type Actor,
  type ArmRequest,
  type ArmResult,
  arm,
  type DiskPort,
  formatInstant,
  type Hold,
  type Patience,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { readScope } from '../../fleet/state.ts';
import type { Target } from '../../fleet/targets.ts';
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
  /** When to look again at the latest, in milliseconds since the epoch; always to come. */
  readonly nextLookMs: () => number;
  readonly end: () => Promise<EndResult>;
}

/** Others write at the same time: look again, and try again. As many as can hold one scope. */
const TRIES = 64;
/** A renewal is tried again well before the deadline, and nothing else runs while it waits. */
const RENEWING = { waitMs: 100 };
/** A change under way is looked at again after this. */
const UNSETTLED_MS = 500;
/** An operation may have committed and still say one of these. */
const UNSURE: ReadonlySet<string> = new Set(['busy', 'overtaken', 'unseen']);

export function ownHold(disk: DiskPort, target: Target, plan: Plan): OwnHold {
  const { scope } = target;
  const { holder, reason, ttlMs, actor, patience } = plan;
  /** While the command lives, the hold never stands for less than this. */
  const leastMs = (ttlMs * 2) / 3;
  const retryMs = Math.min(10_000, Math.max(200, ttlMs / 30));
  /** Ids we know of. One that committed and said that it failed is known by its actor: `isMine`. */
  const ids = new Set<string>();
  let mayStand = false;
  let deadlineMs = 0;
  /** After a failure; 0: at once. */
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
    // Compare and set: what somebody lifts or places after our look is neither undone nor replaced.
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

  /** Places it where nothing of this holder stands. */
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
      // An empty file has no deadline: it would outlive us. It is lifted with the rest.
      if (result.hold.expiresAtMs === null) return { placed: false, why: 'no-deadline' };
      const { hold, generation } = result;
      return { placed: true, hold, generation, before, after: readScope(disk, scope) };
    }
    return { placed: false, why: 'conflict' };
  };

  const renew = (state: ScopeState, mine: Hold): HoldChange | 'again' | null => {
    const fromMs = deadlineMs;
    const result = arm(disk, scope.dir, request({ reason: mine.reason }, state), RENEWING);
    if (result.armed) {
      const wasInTrouble = inTrouble;
      inTrouble = false;
      keep(result);
      const { hold: again, generation } = result;
      // It ended between the look and the write, beside holds of others that kept the file as it was.
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
      // After the look: a deadline that it saw as passed has passed by this, too.
      const now = disk.now();
      unsettledUntilMs = 0;
      if (mine !== null) {
        // Others may have moved it (`fleet extend`).
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

  return { target, place: placeFresh, look, nextLookMs, end };
}

const deadlineOf = ({ expiresAtMs }: Hold): number => expiresAtMs ?? Number.POSITIVE_INFINITY;

/** Process ids are used again, but not beside a holder's name that is unique to a run. */
const isActor = (found: Actor | null, own: Actor): boolean =>
  found !== null && found.host === own.host && found.pid === own.pid && found.via === own.via;
