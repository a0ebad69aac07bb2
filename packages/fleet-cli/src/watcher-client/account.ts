/**
 * Selects from one answer of the watcher who has acknowledged what. Pure functions; the watcher is the judge.
 * INVARIANT 12: its verdict is about the newest state that it has seen. The caller decides whether that is the
 * state in question; if not, nobody has acknowledged it.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import type { ProfileState } from '../fleet/state.ts';
import type { Expectation } from './expected.ts';
import {
  type AckStatus,
  type LinkState,
  scopeKeys,
  type WatchedGateway,
  type WatcherState,
} from './state.ts';

/** One gateway, and one profile that it serves. */
export interface Serving {
  readonly profile: string;
  readonly instance: string;
  readonly pid: number;
  readonly software: string;
  readonly link: LinkState;
  readonly ackStatus: AckStatus;
  /** Work in hand as of its last message. An acknowledgement only means that it takes no new work. */
  readonly inFlight: number;
  /** The newest revision that it acknowledged. */
  readonly acknowledged: number | null;
  readonly acknowledgedAtMs: number | null;
  /** Over how many milliseconds it spreads catch-up work after a lift; null: it does not say. */
  readonly resumeSpreadMs: number | null;
}

/** Identifies one process. Two processes with the same `instance` are two. */
export const processOf = ({ instance, pid }: Pick<Serving, 'instance' | 'pid'>): string =>
  JSON.stringify([instance, pid]);

/** Gateways by profile, in the order of the watcher's answer. */
export type ServedBy = ReadonlyMap<string, readonly WatchedGateway[]>;

export function servedBy({ gateways }: WatcherState): ServedBy {
  const found = new Map<string, WatchedGateway[]>();
  for (const gateway of gateways) {
    for (const { name } of gateway.profiles) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [gateway]);
      else if (known.at(-1) !== gateway) known.push(gateway);
    }
  }
  return found;
}

/** `isSeen`: the watcher has seen the state in question, so its verdicts are about it. */
export function servingOf(
  gateways: readonly WatchedGateway[],
  profile: string,
  isSeen: boolean,
): Serving[] {
  return gateways.flatMap(({ instance, pid, software, link, resumeSpreadMs, profiles }) => {
    const served = profiles.find(({ name }) => name === profile);
    if (served === undefined) return [];
    const { name: _name, ...found } = served;
    const ackStatus = isSeen ? found.ackStatus : UNSEEN[link];
    const gateway = { instance, pid, software, link, resumeSpreadMs };
    return [{ profile, ...gateway, ...found, ackStatus }];
  });
}

/**
 * Names that a connected gateway serves and that are not profiles of this fleet. A hold on the root binds them
 * too. `isSeen`: the watcher has seen the current state of the root.
 */
export function outsidersIn(
  served: ServedBy,
  isProfile: (profile: string) => boolean,
  isSeen: boolean,
): Serving[] {
  return [...served].flatMap(([name, gateways]) =>
    isProfile(name) ? [] : servingOf(gateways, name, isSeen).filter(({ link }) => link !== 'gone'),
  );
}

/** Before the watcher has seen a state, nobody can have acknowledged it. */
const UNSEEN: Readonly<Record<LinkState, AckStatus>> = {
  connected: 'silent',
  acknowledged: 'silent',
  stale: 'stale',
  gone: 'gone',
};

/** The gateways of one profile, and what they have acknowledged of its current state on disk. */
export interface ProfileAccount {
  readonly profile: string;
  /**
   * The watcher's revision of that state; null: the watcher has not seen it, so no gateway can have
   * acknowledged it.
   */
  readonly wanted: number | null;
  /** Connected gateways first, then those that are gone. */
  readonly serving: readonly Serving[];
  /** null: not read, because a gateway serves the profile. */
  readonly expected: Expectation | null;
}

/** `sees`: whether the watcher's answer is about the current state of the profile on disk. */
export function accountOf(
  state: WatcherState,
  served: ServedBy,
  profileState: ProfileState & { readonly profile: string },
  expectations: ReadonlyMap<string, Expectation>,
  sees: (profileState: ProfileState) => boolean = (it) => seesSame(state, it),
): ProfileAccount {
  const { profile } = profileState;
  const wanted = sees(profileState) ? (state.profiles.get(profile)?.revision ?? null) : null;
  const all = servingOf(served.get(profile) ?? [], profile, wanted !== null);
  const here = all.filter(({ link }) => link !== 'gone');
  // A gateway that is gone has no open doors, whatever it acknowledged before.
  const gone = all.flatMap((one) =>
    one.link === 'gone' ? [{ ...one, ackStatus: 'gone' as const }] : [],
  );
  return {
    profile,
    wanted,
    serving: [...here, ...gone],
    expected: here.length > 0 ? null : (expectations.get(profile) ?? 'unsaid'),
  };
}

export const isServed = (served: ServedBy, profile: string): boolean =>
  (served.get(profile) ?? []).some(({ link }) => link !== 'gone');

/** The gateways that count: one that is gone has no open doors. */
export const connectedIn = ({ serving }: ProfileAccount): readonly Serving[] =>
  serving.filter(({ link }) => link !== 'gone');

/** No gateway is connected, although one is expected or may be. */
export const isAbsent = ({ expected }: Pick<ProfileAccount, 'expected'>): boolean =>
  expected === 'expected' || expected === 'unknown';

/** Keys of the holds and the body in a scope; none if it is free. */
export function keysOf({ scope, check }: ScopeState): string[] {
  if (!check.engaged) return [];
  const ids = check.holds.map(({ id }) => id);
  return scopeKeys(scope.kind, check.generation, ids);
}

/** Whether the watcher has seen exactly the state on disk, of a profile or (null) of the root. */
export function seesSame(state: WatcherState, { profile, states }: ProfileState): boolean {
  const watched = profile === null ? { own: [] } : state.profiles.get(profile);
  if (watched === undefined) return false;
  const there = new Set([...watched.own, ...state.shared]);
  const here = new Set(states.flatMap(keysOf));
  return here.size === there.size && [...here].every((key) => there.has(key));
}

/**
 * One profile of a gateway that disconnected a moment ago. A gateway that was stopped or killed looks the same
 * as one that is about to reconnect.
 */
export interface DepartedGateway extends Pick<WatchedGateway, 'instance' | 'pid'> {
  readonly profile: string;
  /**
   * Milliseconds since its last message; null: unknown, because it was not reported or the clock was set
   * back.
   */
  readonly agoMs: number | null;
}

/** For the profiles that `isMeant` accepts. */
export function departedIn(
  { gateways }: WatcherState,
  isMeant: (profile: string) => boolean,
): DepartedGateway[] {
  const nowMs = Date.now();
  return gateways.flatMap(({ instance, pid, returning, lastSeenAtMs, profiles }) => {
    const names = returning ? profiles.map(({ name }) => name).filter(isMeant) : [];
    const agoMs = since(lastSeenAtMs, nowMs);
    return names.map((profile): DepartedGateway => ({ instance, pid, profile, agoMs }));
  });
}

/** null: unknown, or the clock was set back since. */
const since = (atMs: number | null, nowMs: number): number | null =>
  atMs === null || atMs > nowMs ? null : nowMs - atMs;
