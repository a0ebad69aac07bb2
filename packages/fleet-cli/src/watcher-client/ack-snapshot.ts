/**
 * What a `--wait` knows after each answer of the watcher: which gateways have acknowledged and which have not.
 * It remembers every gateway it has seen, so that one that disconnects is still counted.
 */
import { DEFAULT_LANE } from '@fleet-estop/sentinel-core';
import { outsidersIn, processOf, type Serving, servedBy, servingOf } from './account.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import type { Goal } from './goal.ts';
import { type DepartedGateway, departedIn, mayMissGateways } from './reconnecting.ts';
import type { WatcherState } from './state.ts';

export interface Awaited extends Serving {
  /** Milliseconds from the start of the write to the acknowledgement; null: unknown. */
  readonly afterMs: number | null;
}

export interface Absent {
  readonly profile: string;
  /** `unknown`: its settings cannot be understood, so a gateway may be expected. */
  readonly expected: 'expected' | 'unknown';
}

export interface AckSnapshot {
  /** All profiles of the goal. */
  readonly profiles: readonly string[];
  /** Profiles whose new state the watcher has not seen. */
  readonly unshown: readonly string[];
  /** Gateways that serve one of them, or did since the wait began. */
  readonly serving: readonly Awaited[];
  readonly absent: readonly Absent[];
  /** Profiles without a gateway, where none is expected. They do not count. */
  readonly unserved: readonly string[];
  /**
   * Names outside this fleet that a gateway serves, or did since the wait began. Each must acknowledge, but
   * that says nothing about a profile of this fleet.
   */
  readonly outsiders: readonly Serving[];
  /** Why the profiles cannot be listed; null: they can, or only some are meant. */
  readonly unlisted: string | null;
  /** The watcher has just started, so it may not know all gateways yet. */
  readonly mayMissGateways: boolean;
  /** Gateways that disconnected shortly before the wait began, and may reconnect. */
  readonly departed: readonly DepartedGateway[];
}

/** Every expected gateway has acknowledged, and there is at least one. */
export const isComplete = (snapshot: AckSnapshot): boolean =>
  isWhole(snapshot) &&
  snapshot.serving.length > 0 &&
  snapshot.serving.every(({ ackStatus }) => ackStatus === 'acknowledged') &&
  snapshot.outsiders.every(({ ackStatus }) => ackStatus === 'acknowledged');

/** No gateway is connected, and none is expected. */
export const isDeserted = (snapshot: AckSnapshot): boolean =>
  isWhole(snapshot) && snapshot.serving.length === 0;

const isWhole = ({ unshown, absent, unlisted, mayMissGateways, departed }: AckSnapshot): boolean =>
  unshown.length === 0 &&
  absent.length === 0 &&
  unlisted === null &&
  !mayMissGateways &&
  departed.length === 0;

/** A gateway, and the state that was shown when it was seen (`Goal.shown`). */
interface Seen extends Awaited {
  readonly shown: string | null;
}

/** Returns a function that takes one answer after the other. */
export function snapshotTaker(root: string, goal: Goal, unlistedHere: string | null) {
  const seen = new Map<string, Seen>();
  const outside = new Map<string, Serving>();
  const expectations = new Map<string, Expectation>();
  let epoch: string | null = null;

  const awaitedIn = (state: WatcherState, served: ReturnType<typeof servedBy>, name: string) => {
    const shown = goal.shown(state, name);
    for (const judged of servingOf(served.get(name) ?? [], name, shown !== null)) {
      const key = keyOf(judged);
      const known = seen.get(key);
      const serving = stillAcknowledged(known, judged, shown);
      const afterMs = afterOf(goal, serving, known);
      // A gateway that disconnected before the wait began does not count, unless it acknowledged since.
      const isStranger = known === undefined && serving.link === 'gone' && afterMs === null;
      if (!isStranger) seen.set(key, { ...serving, afterMs, shown });
    }
    return shown !== null;
  };

  return async function take(state: WatcherState): Promise<AckSnapshot> {
    // INVARIANT 12: acknowledgements to another run of the watcher do not count.
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
    // `default` is a profile only while a gateway serves it, but a gateway that served it must not be
    // forgotten.
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
    // `default` is missing from `profiles` while no gateway serves it.
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
        (one) => !seen.has(keyOf(one)) && !outside.has(keyOf(one)),
      ),
    };
  };
}

const keyOf = (serving: Pick<Serving, 'instance' | 'pid' | 'profile'>): string =>
  JSON.stringify([processOf(serving), serving.profile]);

const unacknowledged = <T extends Serving>(known: T): T => ({ ...known, ackStatus: 'silent' });

/**
 * A gateway that has acknowledged the awaited state has it in force, also while a newer state of the profile
 * still contains it. On a new connection it has to acknowledge again.
 */
function stillAcknowledged(
  known: Seen | undefined,
  judged: Serving,
  shown: string | null,
): Serving {
  const isSame = shown !== null && known?.shown === shown && judged.acknowledged !== null;
  return isSame && known?.ackStatus === 'acknowledged'
    ? { ...judged, ackStatus: 'acknowledged' }
    : judged;
}

/** Marks a gateway as gone if the answer does not list it. An acknowledgement that it gave before stays. */
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

/** The time of the first acknowledgement: later ones are about other states. */
function afterOf(goal: Goal, serving: Serving, known: Awaited | undefined): number | null {
  if (serving.ackStatus !== 'acknowledged') return null;
  if (known?.ackStatus === 'acknowledged') return known.afterMs;
  const { acknowledgedAtMs, profile } = serving;
  if (acknowledgedAtMs === null) return null;
  const afterMs = acknowledgedAtMs - goal.beganMs(profile);
  // Both times come from the clock of this host; they differ in order only if it was set in between.
  return afterMs >= 0 ? afterMs : null;
}
