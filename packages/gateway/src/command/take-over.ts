/**
 * Computes what a new hold takes over from the existing holds, so that a `/pause` does not lock out
 * people whom those admit, and does not outlast them.
 * Placing it is `place-hold.ts`. A hold that is placed again keeps its own fields instead.
 */
import {
  type Allow,
  formatInstant,
  type Hold,
  listedIn,
  MAX_INSTANT_MS,
  narrowest,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import type { PauseCommand } from './parse.ts';
import { MAX_WORDS } from './replies.ts';

/** The fields to take over; an absent one is not taken over. */
export interface InheritedTerms {
  readonly allow?: Allow;
  readonly expiresAt?: string;
}

/** Milliseconds. A hold with less time left would expire before anybody reads the reply. */
const LEAST_LEFT_MS = 1_000;

/**
 * The principals whom every existing hold admits, and the latest deadline if every one of them has a
 * deadline; null if there is neither.
 * INVARIANT 2: a hold that cannot be read admits nobody and has no deadline, so nothing is taken over
 * beside it.
 */
export function takeOver(states: readonly ScopeState[], nowMs: number): InheritedTerms | null {
  const engaged = states.flatMap(({ check }) => (check.engaged ? [check] : []));
  // An overdue hold still holds after its deadline, so its end is unknown.
  if (engaged.some(({ overdue }) => overdue)) return null;
  const allow = narrowest(states);
  const expiresAt = latestDeadline(
    engaged.flatMap(({ holds }) => holds),
    nowMs,
  );
  if (allow === null && expiresAt === null) return null;
  return { ...(allow === null ? {} : { allow }), ...(expiresAt === null ? {} : { expiresAt }) };
}

/**
 * Lines on what a new hold took over, and on how to change that. `after` is the whole chain as it was
 * read back.
 */
export function takeOverNotices(
  { close, ttl }: Extract<PauseCommand, { kind: 'pause' }>,
  { allow, expiresAt }: Hold,
  after: readonly ScopeState[],
  profile: string,
): string[] {
  const lines: string[] = [];
  if (!close && allow !== null) {
    const now = listedIn(narrowest(after), profile);
    lines.push(
      now.length > 0
        ? `Who may pass is taken over from the other holds: ${named(now)} may still pass. To let nobody pass: \`/pause --close\`.`
        : `The allowlist is taken over from the other holds (${named(allow.userIds)}), but nobody may pass here now. To clear it: \`/pause --close\`.`,
    );
  }
  if (ttl === null && expiresAt !== null) {
    lines.push('The deadline is taken over from the other holds. To have none: `/pause --no-ttl`.');
  }
  return lines;
}

function latestDeadline(holds: readonly Hold[], nowMs: number): string | null {
  let latestMs = 0;
  for (const { expiresAtMs } of holds) {
    if (expiresAtMs === null) return null;
    latestMs = Math.max(latestMs, expiresAtMs);
  }
  if (latestMs - nowMs <= LEAST_LEFT_MS || latestMs > MAX_INSTANT_MS) return null;
  return formatInstant(latestMs);
}

const named = (ids: readonly string[]): string => oneLine(ids.join(', '), MAX_WORDS);
