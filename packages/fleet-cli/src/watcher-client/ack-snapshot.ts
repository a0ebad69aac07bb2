/**
 * What a `--wait` knows after each answer of the watcher: who has acknowledged, and by name who has
 * not. It remembers whom it has seen, so that nobody drops out of the account by going away.
 */
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import { outsidersIn, processOf, type Serving, servedBy, servingOf } from './account.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import type { Goal } from './goal.ts';
import { type DepartedGateway, departedIn, mayMissGateways } from './reconnecting.ts';
import type { WatcherState } from './state.ts';

export interface Awaited extends Serving {
  /** Milliseconds from the beginning of the write to the acknowledgement; null: not known. */
  readonly afterMs: number | null;
}

export interface Absent {
  readonly profile: string;
  /** `unknown`: its settings cannot be understood, so one may well be expected. */
  readonly expected: 'expected' | 'unknown';
}

export interface AckSnapshot {
  /** Every profile that is meant. */
  readonly profiles: readonly string[];
  /** Those whose new state the watcher has not seen. */
  readonly unshown: readonly string[];
  /** Whoever serves one of them, or did since the waiting began. */
  readonly serving: readonly Awaited[];
  readonly absent: readonly Absent[];
  /** Nobody serves them, and nobody says that somebody should: they are not counted. */
  readonly unserved: readonly string[];
  /**
   * Served by a gateway, or since the waiting began, and no profile of this fleet: each must have
   * acknowledged, and that it has proves nothing of any profile.
   */
  readonly outsiders: readonly Serving[];
  /** Why it is not known which profiles there are; null: it is, or only some are meant. */
  readonly unlisted: string | null;
  /** The watcher has just started: there may be gateways that it does not know of yet. */
  readonly mayMissGateways: boolean;
  /** They went away a moment ago, before anything was seen of them here, and may come back. */
  readonly departed: readonly DepartedGateway[];
}

/** All that is expected have acknowledged, and somebody has. */
export const isComplete = (snapshot: AckSnapshot): boolean =>
  isWhole(snapshot) &&
  snapshot.serving.length > 0 &&
  snapshot.serving.every(({ ackStatus }) => ackStatus === 'acknowledged') &&
  snapshot.outsiders.every(({ ackStatus }) => ackStatus === 'acknowledged');

/** Nobody is there, and nobody is expected to come. */
export const isDeserted = (snapshot: AckSnapshot): boolean =>
  isWhole(snapshot) && snapshot.serving.length === 0;

const isWhole = ({ unshown, absent, unlisted, mayMissGateways, departed }: AckSnapshot): boolean =>
  unshown.length === 0 &&
  absent.length === 0 &&
  unlisted === null &&
  !mayMissGateways &&
  departed.length === 0;

/** Takes one answer after the other. */
export function snapshots(root: string, goal: Goal, unlistedHere: string | null) {
  const seen = new Map<string, Awaited>();
  const outside = new Map<string, Serving>();
  const expectations = new Map<string, Expectation>();
  let epoch: string | null = null;

  const awaitedIn = (state: WatcherState, served: ReturnType<typeof servedBy>, name: string) => {
    const wanted = goal.wantedRevision(state, name);
    for (const serving of servingOf(served.get(name) ?? [], name, wanted)) {
      const key = keyOf(serving);
      const known = seen.get(key);
      // What ended before the waiting began is no news of it, and neither is what was said before.
      const isStranger =
        known === undefined && serving.link === 'gone' && afterOf(goal, serving, known) === null;
      if (!isStranger) seen.set(key, { ...serving, afterMs: afterOf(goal, serving, known) });
    }
    return wanted !== null;
  };

  return async function take(state: WatcherState): Promise<AckSnapshot> {
    // INVARIANT 12: what was said to another run of the watcher is judged anew.
    if (epoch !== state.epoch) {
      for (const [key, known] of seen) seen.set(key, { ...unacknowledged(known), afterMs: null });
      for (const [key, known] of outside) outside.set(key, unacknowledged(known));
    }
    epoch = state.epoch;
    const served = servedBy(state);
    const profiles = goal.profilesOf(state);
    const meant = new Set(profiles);
    for (const [key, known] of seen) seen.set(key, lost(state, known));
    const unshown = profiles.filter((name) => !awaitedIn(state, served, name));
    // The root is a lane only as long as it is served; whoever served it is not forgotten for that.
    const isStill = (name: string): boolean =>
      meant.has(name) || (goal.meansAll && name === DEFAULT_LANE);
    const serving = [...seen.values()].filter(({ profile }) => isStill(profile));
    const servedNames = new Set(serving.map(({ profile }) => profile));
    const deserted = profiles.filter((name) => !servedNames.has(name));
    const unasked = deserted.filter((name) => !expectations.has(name));
    for (const [name, expectation] of await expectationsOf(root, unasked))
      expectations.set(name, expectation);
    const absent = deserted.flatMap((profile): Absent[] => {
      const expected = expectations.get(profile);
      return expected === 'expected' || expected === 'unknown' ? [{ profile, expected }] : [];
    });
    const isInFleet = (name: string): boolean => state.profiles.has(name);
    for (const [key, known] of outside) {
      if (isInFleet(known.profile)) outside.delete(key);
      else outside.set(key, lost(state, known));
    }
    for (const one of goal.meansAll ? outsidersIn(served, isInFleet, unshown.length === 0) : []) {
      outside.set(keyOf(one), one);
    }
    // A profile that is in the fleet only as long as it is served is not among `profiles` meanwhile.
    const isMeant = (name: string): boolean =>
      meant.has(name) || (goal.meansAll && !isInFleet(name));
    const absentNames = new Set(absent.map(({ profile }) => profile));
    return {
      profiles,
      unshown,
      serving,
      absent,
      unserved: deserted.filter((name) => !absentNames.has(name)),
      outsiders: [...outside.values()],
      unlisted: goal.meansAll ? (unlistedHere ?? state.unlisted) : null,
      mayMissGateways: mayMissGateways(root),
      departed: departedIn(state, isMeant).filter(
        (departedGateway) =>
          !seen.has(keyOf(departedGateway)) && !outside.has(keyOf(departedGateway)),
      ),
    };
  };
}

const keyOf = (serving: Pick<Serving, 'instance' | 'pid' | 'profile'>): string =>
  JSON.stringify([processOf(serving), serving.profile]);

const unacknowledged = (known: Serving): Serving => ({ ...known, ackStatus: 'silent' });

/** Until an answer names it again. That it has acknowledged stays true where it is gone since. */
function lost<T extends Serving>({ gateways }: WatcherState, known: T): T {
  const isHere = gateways.some(
    ({ instance, pid, link, profiles }) =>
      processOf({ instance, pid }) === processOf(known) &&
      link !== 'gone' &&
      profiles.some(({ name }) => name === known.profile),
  );
  if (isHere) return known;
  return {
    ...known,
    link: 'gone',
    ackStatus: known.ackStatus === 'acknowledged' ? 'acknowledged' : 'gone',
  };
}

/** As it was first seen: what is acknowledged later is something else. */
function afterOf(goal: Goal, serving: Serving, known: Awaited | undefined): number | null {
  if (serving.ackStatus !== 'acknowledged') return null;
  if (known?.ackStatus === 'acknowledged') return known.afterMs;
  const { acknowledgedAtMs, profile } = serving;
  if (acknowledgedAtMs === null) return null;
  const afterMs = acknowledgedAtMs - goal.beganMs(profile);
  // Two clocks that are one, unless somebody has set it meanwhile.
  return afterMs >= 0 ? afterMs : null;
}
