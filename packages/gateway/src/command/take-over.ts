/**
 * What a new hold takes over from the holds that stand already, so that `/pause` by one person does
 * not lock out another and does not outlast what it was placed beside.
 * It is placed by `place-hold.ts`. A hold that is placed again keeps what it has instead.
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

/** A field that is absent is not taken over. */
export interface InheritedTerms {
  readonly allow?: Allow;
  readonly expiresAt?: string;
}

/** Milliseconds. A hold with less to live than this would be gone before anybody reads the reply. */
const LEAST_LEFT_MS = 1_000;

/**
 * The allowlist of those whom every standing hold lets pass, and the latest deadline if every one of
 * them has a deadline. null: there is neither.
 * INVARIANT 2: a hold that cannot be read lets nobody pass and has no deadline, so beside it nothing
 * is taken over.
 */
export function takeOver(states: readonly ScopeState[], nowMs: number): InheritedTerms | null {
  const standing = states.flatMap(({ check }) => (check.engaged ? [check] : []));
  // Its deadline has passed and it holds all the same: when it ends is not known.
  if (standing.some(({ overdue }) => overdue)) return null;
  const allow = narrowest(states);
  const expiresAt = latestDeadline(
    standing.flatMap(({ holds }) => holds),
    nowMs,
  );
  if (allow === null && expiresAt === null) return null;
  return { ...(allow === null ? {} : { allow }), ...(expiresAt === null ? {} : { expiresAt }) };
}

/**
 * What a hold that nobody had placed before took over, and how to say otherwise.
 * `after`: the whole chain, as it was read back.
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
