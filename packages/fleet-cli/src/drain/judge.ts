/**
 * Judges whether a profile is drained, from what its gateways have acknowledged and reported, and from its
 * register on disk. Both must agree. Pure; the waiting is `await-drained.ts`.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { DEFAULT_PROFILE } from '@fleet-estop/sentinel-core';
import type { AckSnapshot, Awaited } from '../watcher-client/ack-snapshot.ts';
import type { ProfileWork } from './work.ts';

/** One profile at one moment. */
export interface ProfileDrain extends ProfileWork {
  /** The gateways that are connected and serve it. */
  readonly serving: readonly Awaited[];
  /** Work that must end first: all of it, or all that is not wedged. */
  readonly left: readonly WorkRecord[];
  /** Work in hand that its gateways report and its register does not explain. */
  readonly unexplained: number;
}

/** What is known at one moment. */
export interface DrainLook {
  /** null: no watcher has answered so far. */
  readonly snapshot: AckSnapshot | null;
  /** Why the last request to the watcher failed; null: it succeeded. */
  readonly unreached: string | null;
  /** The watcher run that answered; null: none has. */
  readonly epoch: string | null;
  readonly profiles: readonly ProfileDrain[];
  /** Gateways that count and whose word is missing or old, those that went away without it too. */
  readonly silent: readonly Awaited[];
  /** Work in hand of gateways that serve names outside the fleet. */
  readonly outside: number;
}

export interface LookedAt extends Pick<DrainLook, 'snapshot' | 'unreached' | 'epoch'> {
  readonly works: readonly ProfileWork[];
  /** Gateways that went away during the waiting before they had acknowledged. */
  readonly lost: readonly Awaited[];
  readonly excludesWedged: boolean;
  /** No profile was selected. */
  readonly meansAll: boolean;
}

export function judgeDrain(looked: LookedAt): DrainLook {
  const { snapshot, unreached, epoch, works, lost, excludesWedged, meansAll } = looked;
  const here = (snapshot?.serving ?? []).filter(({ link }) => link !== 'gone');
  const all = works.map((one): ProfileDrain => {
    const serving = here.filter(({ profile }) => profile === one.profile);
    const left = one.work.filter(({ wedged }) => !(excludesWedged && wedged));
    return { ...one, serving, left, unexplained: unexplainedBy(one.work, left, serving) };
  });
  // If all profiles are meant, the root's own is one only while it is served, or has work.
  const profiles = all.filter(
    (one) =>
      !meansAll || one.profile !== DEFAULT_PROFILE || one.serving.length > 0 || !isQuiet(one),
  );
  return {
    snapshot,
    unreached,
    epoch,
    profiles,
    silent: [...(snapshot?.serving ?? []).filter(isSilent), ...lost],
    outside: (snapshot?.outsiders ?? []).reduce((sum, { inFlight }) => sum + inFlight, 0),
  };
}

/** A gateway that was not heard for a while may have taken work since, if a hold lets somebody through. */
export const isSilent = ({ ackStatus, link }: Awaited): boolean =>
  ackStatus !== 'acknowledged' || link === 'stale';

/**
 * A gateway counts its own work, and work in its home that nobody living owns. What is excluded must be
 * among that: another gateway's wedged work excuses nothing here.
 */
function unexplainedBy(
  work: readonly WorkRecord[],
  left: readonly WorkRecord[],
  serving: readonly Awaited[],
): number {
  // Work that is left is counted as left.
  if (left.length > 0) return 0;
  const counts = serving.map(({ instance, inFlight }) => {
    const its = work.filter((one) => one.instance === instance || one.fate === 'unproven');
    return Math.max(0, inFlight - its.length);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Nothing is in hand, as far as the profile's register and its connected gateways say. */
export const isQuiet = ({ left, unreadable, unexplained }: ProfileDrain): boolean =>
  left.length === 0 && unreadable.length === 0 && unexplained === 0;

/** Everybody who counts has acknowledged, and it is known who counts. */
export const isAnswered = ({ snapshot, unreached, silent }: DrainLook): boolean =>
  snapshot !== null &&
  unreached === null &&
  silent.length === 0 &&
  snapshot.unshown.length === 0 &&
  !mayMissSomebody(snapshot) &&
  snapshot.outsiders.every(({ ackStatus }) => ackStatus === 'acknowledged');

const mayMissSomebody = ({ absent, unlisted, departed, mayMissGateways }: AckSnapshot): boolean =>
  absent.length > 0 || unlisted !== null || departed.length > 0 || mayMissGateways;

export const isAllQuiet = ({ profiles, outside }: DrainLook): boolean =>
  outside === 0 && profiles.every(isQuiet);

/** What was excluded. */
export const wedgedIn = ({ profiles }: DrainLook): readonly WorkRecord[] =>
  profiles.flatMap(({ work }) => work.filter(({ wedged }) => wedged));

/** Some gateway of a profile has answered. Without any, nobody but the registers says anything. */
export const isServedAtAll = ({ snapshot }: DrainLook): boolean =>
  (snapshot?.serving ?? []).some(({ link }) => link !== 'gone');
