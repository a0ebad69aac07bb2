/**
 * Limits how many pieces of work a gate starts for a while after a lift, so that the overdue work of many
 * profiles does not start in one tick. It never admits anything: whoever asks was admitted before.
 */
import { FleetError } from '@fleet-estop/sentinel-core';

export interface ResumeRate {
  /** Starts in any `perMs`, of all profiles of the gate together that were lifted within `forMs`. */
  readonly starts: number;
  /** Milliseconds. */
  readonly perMs: number;
  /** Milliseconds after the lift of a profile for which its starts are limited. What is overdue then, starts. */
  readonly forMs: number;
}

export interface ResumeLimit {
  /** What was just seen of a profile. From held to free is a lift, and begins its time. */
  see(profile: string, isHeld: boolean): void;
  /** Milliseconds until this profile may start something; 0: now. */
  waitMs(profile: string): number;
  /** Takes one start. false: not yet. */
  take(profile: string): boolean;
  /** Takes back the newest start of this profile, where nothing was started. */
  giveBack(profile: string): void;
}

const NO_LIMIT: ResumeLimit = { see() {}, waitMs: () => 0, take: () => true, giveBack() {} };

/** `steadyMs`: a clock that nobody sets. Throws VALUE_INVALID. */
export function resumeLimit(
  rate: ResumeRate | undefined,
  steadyMs: () => number = () => performance.now(),
): ResumeLimit {
  if (rate === undefined) return NO_LIMIT;
  const { starts, perMs, forMs } = validRate(rate);
  const held = new Set<string>();
  /** When the limit ends, of profiles that were lifted. */
  const untilMs = new Map<string, number>();
  /** Limited starts, oldest first; those older than `perMs` are forgotten. */
  const taken: { readonly profile: string; readonly atMs: number }[] = [];

  const endOf = (profile: string): number => untilMs.get(profile) ?? 0;

  const waitMs = (profile: string): number => {
    const nowMs = steadyMs();
    const endMs = endOf(profile);
    while (taken[0] !== undefined && taken[0].atMs + perMs <= nowMs) taken.shift();
    const oldest = taken.length < starts ? undefined : taken[0];
    if (oldest === undefined || nowMs >= endMs) return 0;
    return Math.min(oldest.atMs + perMs, endMs) - nowMs;
  };

  return {
    see(profile, isHeld) {
      if (isHeld) held.add(profile);
      else if (held.delete(profile)) untilMs.set(profile, steadyMs() + forMs);
    },
    waitMs,
    take(profile) {
      if (waitMs(profile) > 0) return false;
      const atMs = steadyMs();
      if (atMs < endOf(profile)) taken.push({ profile, atMs });
      return true;
    },
    giveBack(profile) {
      const at = taken.findLastIndex((start) => start.profile === profile);
      if (at >= 0) taken.splice(at, 1);
    },
  };
}

function validRate(rate: ResumeRate): ResumeRate {
  const isValid =
    Number.isSafeInteger(rate.starts) &&
    rate.starts > 0 &&
    isTime(rate.perMs) &&
    isTime(rate.forMs);
  if (isValid) return rate;
  throw new FleetError('VALUE_INVALID', `\`resumeRate\` is \`${JSON.stringify(rate)}\``, {
    hint: 'give whole numbers: `starts` of at least 1, `perMs` and `forMs` of at least 1 millisecond',
  });
}

const isTime = (ms: number): boolean => Number.isSafeInteger(ms) && ms > 0;
