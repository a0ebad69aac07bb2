/**
 * The hold of one run in one scope: placed with a deadline, kept while the command lives, and lifted
 * at the end. It never touches a hold that this run did not place.
 * When to look is `commands/window.ts`; what is said about it is `render/window.ts`.
 */
import {
  type Actor,
  type ArmRequest,
  type ArmResult,
  arm,
  type DiskPort,
  formatInstant,
  type Hold,
  lift,
  recover,
  retire,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Target } from '../commands/verb.ts';
import { readScope, unreadableIn } from '../state.ts';

export interface Plan {
  readonly holder: string;
  readonly reason: string;
  readonly ttlMs: number;
  readonly actor: Actor;
}

export type Placing =
  | {
      readonly placed: true;
      readonly hold: Hold;
      readonly generation: string | null;
      readonly before: ScopeState;
      readonly after: ScopeState;
    }
  /** `why`: `name-taken`, `no-deadline`, or what `arm` said. */
  | { readonly placed: false; readonly why: string };

/** What a look found that people must hear of. */
export type Happening =
  /** It is gone before its deadline: somebody else lifted it. It is not placed again. */
  | { readonly kind: 'taken' }
  /** Its deadline passed while nobody renewed it. `again`: the hold in its place, or why there is none yet. */
  | {
      readonly kind: 'lapsed';
      readonly fromMs: number;
      readonly toMs: number;
      readonly again: Hold | { readonly why: string };
      readonly generation: string | null;
    }
  | { readonly kind: 'not-renewed'; readonly why: string; readonly deadlineMs: number }
  | { readonly kind: 'renewed-at-last'; readonly deadlineMs: number };

export type Ending =
  | {
      readonly kind: 'lifted';
      readonly holds: readonly Hold[];
      /** The whole chain afterwards, nearest first. */
      readonly after: readonly ScopeState[];
    }
  /** Nothing of ours stood there any more. `said`: people have heard of it already. */
  | {
      readonly kind: 'gone';
      readonly deadlineMs: number;
      readonly toMs: number;
      readonly said: boolean;
    }
  | { readonly kind: 'not-lifted'; readonly why: string; readonly hold: Hold | null }
  | { readonly kind: 'never-placed' };

export interface OwnHold {
  readonly target: Target;
  readonly place: () => Placing;
  readonly look: () => Happening | null;
  /** When to look again at the latest, in milliseconds since the epoch; always to come. */
  readonly nextLookMs: () => number;
  readonly end: () => Promise<Ending>;
}

/** Others write at the same time: look again, and try again. */
const TRIES = 8;
/** A change under way is looked at again after this. */
const UNSETTLED_MS = 500;
/** Between two tries to lift, in which whoever is at work there finishes. */
const LIFT_RETRY_MS = 250;

export function ownHold(disk: DiskPort, target: Target, plan: Plan): OwnHold {
  const { scope, chain } = target;
  const { holder, reason, ttlMs, actor } = plan;
  const renewAfterMs = ttlMs / 3;
  const retryMs = Math.min(10_000, Math.max(200, ttlMs / 30));
  /** Ids we know of. An operation may have committed and still say that it failed: see `isMine`. */
  const ids = new Set<string>();
  let deadlineMs = 0;
  let renewAtMs = 0;
  let unsettledUntilMs = 0;
  let lapsedAtMs: number | null = null;
  let inTrouble = false;
  let taken = false;

  const isMine = (hold: Hold): boolean =>
    ids.has(hold.id) || (hold.holder === holder && isActor(hold.actor, actor));

  const mineIn = ({ check }: ScopeState): Hold | null =>
    (check.engaged ? check.holds.find(isMine) : undefined) ?? null;

  /** `certain`: what is not seen is not there, neither in an operation under way nor in a file we cannot read. */
  const find = (): { state: ScopeState; mine: Hold | null; certain: boolean } => {
    const first = readScope(disk, scope);
    const seen = mineIn(first);
    if (seen !== null) return { state: first, mine: seen, certain: true };
    const { settled } = recover(disk, scope.dir);
    const state = readScope(disk, scope);
    const underWay = state.check.engaged && state.check.aside === true;
    const certain = settled && !underWay && unreadableIn(state) === null;
    return { state, mine: mineIn(state), certain };
  };

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
    deadlineMs = hold.expiresAtMs ?? Number.POSITIVE_INFINITY;
    renewAtMs = disk.now() + renewAfterMs;
  };

  /** Places it where nothing of this holder stands. */
  const placeFresh = (): Placing => {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = readScope(disk, scope);
      const { check } = before;
      if (check.engaged && check.holds.some((hold) => hold.holder === holder)) {
        return { placed: false, why: 'name-taken' };
      }
      const result = arm(disk, scope.dir, request({ reason, allow: null }, before));
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

  const renew = (state: ScopeState, mine: Hold): Happening | 'again' | null => {
    const standsUntilMs = mine.expiresAtMs ?? Number.POSITIVE_INFINITY;
    const now = disk.now();
    if (standsUntilMs >= now + ttlMs) {
      // Somebody has given it more time than we would.
      deadlineMs = standsUntilMs;
      renewAtMs = now + renewAfterMs;
      return null;
    }
    const result = arm(disk, scope.dir, request({}, state));
    if (result.armed) {
      keep(result);
      if (!inTrouble) return null;
      inTrouble = false;
      return { kind: 'renewed-at-last', deadlineMs };
    }
    if (result.why === 'conflict' || result.why === 'overtaken') return 'again';
    renewAtMs = now + retryMs;
    if (inTrouble) return null;
    inTrouble = true;
    return { kind: 'not-renewed', why: result.why, deadlineMs: standsUntilMs };
  };

  const placeAgain = (): Happening | null => {
    const heard = lapsedAtMs !== null;
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
    renewAtMs = toMs + retryMs;
    if (heard) return null;
    return { kind: 'lapsed', fromMs, toMs, again: { why: placing.why }, generation: null };
  };

  const look = (): Happening | null => {
    for (let tries = 0; tries < TRIES && !taken; tries++) {
      const { state, mine, certain } = find();
      // After the look: a deadline that it saw as passed has passed by this, too.
      const now = disk.now();
      unsettledUntilMs = 0;
      if (mine !== null) {
        if (now < renewAtMs) return null;
        const outcome = renew(state, mine);
        if (outcome !== 'again') return outcome;
      } else if (!certain) {
        unsettledUntilMs = now + UNSETTLED_MS;
        return null;
      } else if (lapsedAtMs !== null) {
        return now < renewAtMs ? null : placeAgain();
      } else if (now >= deadlineMs) {
        return placeAgain();
      } else {
        taken = true;
        return { kind: 'taken' };
      }
    }
    renewAtMs = disk.now() + retryMs;
    return null;
  };

  const nextLookMs = (): number => {
    if (taken) return Number.POSITIVE_INFINITY;
    return unsettledUntilMs > 0 ? unsettledUntilMs : renewAtMs;
  };

  const end = async (): Promise<Ending> => {
    let why = 'unsettled';
    let mine: Hold | null = null;
    for (let tries = 0; tries < TRIES; tries++) {
      const found = find();
      mine = found.mine;
      if (mine !== null) {
        const result = lift(disk, scope.dir, { id: mine.id });
        if (result.lifted) {
          const after = chain.map((one) => readScope(disk, one));
          return { kind: 'lifted', holds: result.holds, after };
        }
        why = result.why;
      } else if (found.certain) {
        // Readers of the oldest form are held while the file exists, expired or not.
        if (!found.state.check.engaged && found.state.check.expired) retire(disk, scope.dir);
        if (ids.size === 0) return { kind: 'never-placed' };
        return { kind: 'gone', deadlineMs, toMs: disk.now(), said: taken || lapsedAtMs !== null };
      } else {
        why = unreadableIn(found.state) ?? 'unsettled';
      }
      await new Promise((resolve) => setTimeout(resolve, LIFT_RETRY_MS));
    }
    return { kind: 'not-lifted', why, hold: mine };
  };

  return { target, place: placeFresh, look, nextLookMs, end };
}

/** Process ids are used again, but not beside a holder's name that is unique to a run. */
const isActor = (found: Actor | null, own: Actor): boolean =>
  found !== null && found.host === own.host && found.pid === own.pid && found.via === own.via;
