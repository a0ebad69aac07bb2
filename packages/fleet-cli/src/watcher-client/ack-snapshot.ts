/**
 * What a `--wait` knows after each answer of the watcher: which gateways have acknowledged and which have not.
 * It remembers every gateway it has seen, so that one that disconnects is still counted.
 */
import { DEFAULT_PROFILE } from '@fleet-estop/sentinel-core';
import {
  type DepartedGateway,
  departedIn,
  isAbsent,
  outsidersIn,
  processOf,
  type Serving,
  servedBy,
  servingOf,
} from './account.ts';
import { type Expectation, expectationsOf } from './expected.ts';
import type { Goal } from './goal.ts';
import type { AckStatus, WatcherState } from './state.ts';

export interface Awaited extends Serving {
  /** Milliseconds from the start of the write to the acknowledgement; null: unknown. */
  readonly afterMs: number | null;
}

export interface Absent {
  readonly profile: string;
  readonly expected: Expectation;
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

interface Seen extends Awaited {
  /** The state that was shown when it was seen (`Goal.shown`). */
  readonly shown: string | null;
  /** It serves a name outside this fleet. */
  readonly isOutside: boolean;
}

/** Returns a function that takes one answer after the other. */
export function snapshotTaker(root: string, goal: Goal, unlistedHere: string | null) {
  const seen = new Map<string, Seen>();
  const expectations = new Map<string, Expectation>();
  let epoch: string | null = null;

  const awaitedIn = (state: WatcherState, served: ReturnType<typeof servedBy>, name: string) => {
    const shown = goal.shown(state, name);
    for (const judged of servingOf(served.get(name) ?? [], name, shown !== null)) {
      const key = keyOf(judged);
      const known = seen.get(key);
      const serving = { ...judged, ackStatus: keptStatus(known, judged, shown) };
      const afterMs = afterOf(goal, serving, known);
      // A gateway that disconnected before the wait began does not count, unless it acknowledged since.
      const isStranger = known === undefined && serving.link === 'gone' && afterMs === null;
      if (!isStranger) seen.set(key, { ...serving, afterMs, shown, isOutside: false });
    }
    return shown !== null;
  };

  return async function take(state: WatcherState): Promise<AckSnapshot> {
    const isInFleet = (name: string): boolean => state.profiles.has(name);
    for (const [key, known] of seen) {
      // INVARIANT 12: acknowledgements to another run of the watcher do not count.
      const heard = epoch === state.epoch ? known : { ...known, ...UNACKNOWLEDGED };
      if (known.isOutside && isInFleet(known.profile)) seen.delete(key);
      else seen.set(key, lost(state, heard));
    }
    epoch = state.epoch;
    const served = servedBy(state);
    const profiles = goal.profilesOf(state);
    const unshown = profiles.filter((name) => !awaitedIn(state, served, name));
    for (const one of goal.meansAll ? outsidersIn(served, isInFleet, unshown.length === 0) : []) {
      seen.set(keyOf(one), { ...one, afterMs: null, shown: null, isOutside: true });
    }
    const meant = new Set(profiles);
    const all = [...seen.values()];
    // `default` is a profile only while a gateway serves it, but a gateway that served it must not be
    // forgotten.
    const isStill = (name: string): boolean =>
      meant.has(name) || (goal.meansAll && name === DEFAULT_PROFILE);
    const serving = all.filter(({ profile, isOutside }) => !isOutside && isStill(profile));
    const servedNames = new Set(serving.map(({ profile }) => profile));
    const deserted = profiles.filter((name) => !servedNames.has(name));
    const unasked = deserted.filter((name) => !expectations.has(name));
    for (const [name, expectation] of await expectationsOf(root, unasked))
      expectations.set(name, expectation);
    const missing = deserted.map((profile) => ({
      profile,
      expected: expectations.get(profile) ?? 'unsaid',
    }));
    // `default` is missing from `profiles` while no gateway serves it.
    const isMeant = (name: string): boolean =>
      meant.has(name) || (goal.meansAll && !isInFleet(name));
    return {
      profiles,
      unshown,
      serving,
      absent: missing.filter(isAbsent),
      unserved: missing.filter((one) => !isAbsent(one)).map(({ profile }) => profile),
      outsiders: all.filter(({ isOutside }) => isOutside),
      unlisted: goal.meansAll ? (unlistedHere ?? state.unlisted) : null,
      mayMissGateways: state.starting,
      departed: departedIn(state, isMeant).filter((one) => !seen.has(keyOf(one))),
    };
  };
}

const keyOf = (serving: Pick<Serving, 'instance' | 'pid' | 'profile'>): string =>
  JSON.stringify([processOf(serving), serving.profile]);

const UNACKNOWLEDGED = { ackStatus: 'silent', afterMs: null } as const;

/**
 * A gateway that has acknowledged the awaited state has it in force, also while a newer state of the profile
 * still contains it. On a new connection it has to acknowledge again.
 */
function keptStatus(known: Seen | undefined, judged: Serving, shown: string | null): AckStatus {
  const isSame = shown !== null && known?.shown === shown && judged.acknowledged !== null;
  return isSame && known?.ackStatus === 'acknowledged' ? 'acknowledged' : judged.ackStatus;
}

/** Marks a gateway as gone if the answer does not list it. An acknowledgement that it gave before stays. */
function lost({ gateways }: WatcherState, known: Seen): Seen {
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
