/**
 * Who has acknowledged what, from one answer of the watcher. Pure.
 * INVARIANT 12: an acknowledgement counts only for a revision that carries what is asked about, in
 * the same run of the watcher. Which revision that is, is for whoever asks.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import type { ProfileState } from '../fleet/state.ts';
import type { Expectation } from './expected.ts';
import { type LinkState, scopeKeys, type WatchedGateway, type WatcherState } from './state.ts';

/**
 * acknowledged: it said that the state is in force at its doors. silent: connected, and it has not
 * said so. stale: the same, and nothing else was heard from it for a while. gone: its connection
 * ended before it said so.
 */
export type AckStatus = 'acknowledged' | 'silent' | 'stale' | 'gone';

/** One gateway, and one profile that it serves. */
export interface Serving {
  readonly profile: string;
  readonly instance: string;
  readonly pid: number;
  readonly software: string;
  readonly link: LinkState;
  readonly ackStatus: AckStatus;
  /** Work in hand when it was last heard: what it acknowledges is that it takes no new work. */
  readonly inFlight: number;
  /** The newest revision that it acknowledged. */
  readonly acknowledged: number | null;
  readonly acknowledgedAtMs: number | null;
}

/** Names one process. Two that say the same `instance` are two all the same. */
export const processOf = ({ instance, pid }: Pick<Serving, 'instance' | 'pid'>): string =>
  JSON.stringify([instance, pid]);

/** By profile, in the watcher's order. */
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

/** `wanted`: the least revision that counts; null: none does. */
export function servingOf(
  gateways: readonly WatchedGateway[],
  profile: string,
  wanted: number | null,
): Serving[] {
  return gateways.flatMap(({ instance, pid, software, link, profiles }) => {
    const served = profiles.find(({ name }) => name === profile);
    if (served === undefined) return [];
    const { inFlight, acknowledged, acknowledgedAtMs } = served;
    const isCurrent = wanted !== null && acknowledged !== null && acknowledged >= wanted;
    const ackStatus = isCurrent ? 'acknowledged' : STATUS_OF_LINK[link];
    const work = { inFlight, acknowledged, acknowledgedAtMs };
    return [{ profile, instance, pid, software, link, ackStatus, ...work }];
  });
}

/**
 * Served by a gateway that is connected, and no lane here. What holds the root binds it all the same;
 * what is its own is nobody's to read here, so there is only the word of its link, which says
 * `acknowledged` when all that its gateway serves is at its newest state. `isSeen`: the watcher has
 * seen what binds everybody; until then that word is about something older.
 */
export function outsidersIn(
  served: ServedBy,
  isProfile: (profile: string) => boolean,
  isSeen: boolean,
): Serving[] {
  return [...served].flatMap(([name, gateways]) =>
    isProfile(name)
      ? []
      : servingOf(gateways, name, null)
          .filter(({ link }) => link !== 'gone')
          .map((one) =>
            isSeen && one.link === 'acknowledged'
              ? { ...one, ackStatus: 'acknowledged' as const }
              : one,
          ),
  );
}

const STATUS_OF_LINK: Readonly<Record<LinkState, AckStatus>> = {
  connected: 'silent',
  // Of another revision than the one that is wanted.
  acknowledged: 'silent',
  stale: 'stale',
  gone: 'gone',
};

/** What is known of the gateways of one lane, for the state that the disk has now. */
export interface ProfileAccount {
  readonly profile: string;
  /** The watcher's number for that state; null: it has not seen that state yet, so nobody can have. */
  readonly wanted: number | null;
  /** Those that are connected, and then those that are gone. */
  readonly serving: readonly Serving[];
  /** null: somebody serves it, and so nobody looked. */
  readonly expected: Expectation | null;
}

/** `sees`: whether what the watcher says is of the lane as the disk has it now. */
export function accountOf(
  state: WatcherState,
  served: ServedBy,
  profileState: ProfileState & { readonly profile: string },
  expectations: ReadonlyMap<string, Expectation>,
  sees: (profileState: ProfileState) => boolean = (it) => seesSame(state, it),
): ProfileAccount {
  const { profile } = profileState;
  const wanted = sees(profileState) ? (state.profiles.get(profile)?.revision ?? null) : null;
  const all = servingOf(served.get(profile) ?? [], profile, wanted);
  const here = all.filter(({ link }) => link !== 'gone');
  // Whatever it said, it has no doors any more at which that could be in force.
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

/** Those that count: whoever is gone has no doors here any more. */
export const connectedIn = ({ serving }: ProfileAccount): readonly Serving[] =>
  serving.filter(({ link }) => link !== 'gone');

/** A gateway should be there, or may well be expected, and none is. */
export const isAbsent = ({ expected }: Pick<ProfileAccount, 'expected'>): boolean =>
  expected === 'expected' || expected === 'unknown';

/** What stands in a scope; none where it is free. */
export function keysOf({ scope, check }: ScopeState): string[] {
  if (!check.engaged) return [];
  const ids = check.holds.map(({ id }) => id);
  return scopeKeys(scope.kind, check.generation, ids);
}

/** Whether the watcher has seen exactly what the disk has: of a lane, or (null) of what binds all. */
export function seesSame(state: WatcherState, { profile, states }: ProfileState): boolean {
  const watched = profile === null ? { own: [] } : state.profiles.get(profile);
  if (watched === undefined) return false;
  const there = new Set([...watched.own, ...state.shared]);
  const here = new Set(states.flatMap(keysOf));
  return here.size === there.size && [...here].every((key) => there.has(key));
}
