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
  /** Takes back a start that `take` allowed, where nothing was started. */
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
  /** The moments of the newest starts, oldest first; at most `starts`. */
  const taken: number[] = [];

  const isLimited = (profile: string): boolean => {
    const endMs = untilMs.get(profile);
    if (endMs === undefined) return false;
    if (steadyMs() < endMs) return true;
    untilMs.delete(profile);
    return false;
  };

  const waitMs = (profile: string): number => {
    const [oldest] = taken;
    if (!isLimited(profile) || taken.length < starts || oldest === undefined) return 0;
    const endMs = untilMs.get(profile) ?? 0;
    return Math.max(0, Math.min(oldest + perMs, endMs) - steadyMs());
  };

  return {
    see(profile, isHeld) {
      if (isHeld) held.add(profile);
      else if (held.delete(profile)) untilMs.set(profile, steadyMs() + forMs);
    },
    waitMs,
    take(profile) {
      if (waitMs(profile) > 0) return false;
      if (!isLimited(profile)) return true;
      taken.push(steadyMs());
      if (taken.length > starts) taken.shift();
      return true;
    },
    giveBack(profile) {
      if (isLimited(profile)) taken.pop();
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
