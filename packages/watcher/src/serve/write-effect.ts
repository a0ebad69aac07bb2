/**
 * The effect of a hold on others: which hold it replaces, and who cannot pass any more.
 * Placing it is `write-holds.ts`.
 */
import type { HoldEffect, HoldTerms } from '@fleet-estop/protocol';
import {
  type Allow,
  closedOut,
  formatNearestInstant,
  type Hold,
  type ScopeState,
} from '@fleet-estop/sentinel-core';

/** The terms of a standing or planned hold. */
export type Terms = Pick<Hold, 'holder' | 'reason' | 'expiresAtMs' | 'allow'>;

export function effectOf(
  before: readonly ScopeState[],
  replaced: Hold | null,
  hold: Terms,
  profile: string | null,
): HoldEffect {
  const closed = closedOut(before, hold, profile);
  const loosened = replaced === null ? [] : [...nearer(replaced, hold), ...wider(replaced, hold)];
  return {
    replaced_hold: replaced === null ? null : termsOf(replaced),
    closed_out: closed,
    warnings: [
      ...loosened,
      ...(closed.length === 0
        ? []
        : [`could pass before, and cannot while this stands: ${closed.join(', ')}`]),
    ],
  };
}

export const termsOf = (hold: Terms & Partial<Hold>): HoldTerms => ({
  id: hold.id ?? null,
  holder: hold.holder,
  reason: hold.reason,
  since: hold.engagedAt ?? null,
  expires_at: hold.expiresAt ?? instantOf(hold.expiresAtMs),
  allow_users: hold.allow?.userIds ?? null,
  allow_profiles: hold.allow?.profiles ?? null,
});

function nearer(before: Terms, now: Terms): readonly string[] {
  if (now.expiresAtMs === null) return [];
  const ends = `it ends at ${instantOf(now.expiresAtMs)}`;
  if (before.expiresAtMs === null) return [`${ends}, and had no end before`];
  if (now.expiresAtMs >= before.expiresAtMs) return [];
  return [`${ends}, sooner than before: ${instantOf(before.expiresAtMs)}`];
}

function wider(before: Terms, now: Terms): readonly string[] {
  const had = before.allow?.userIds ?? [];
  const fresh = (now.allow?.userIds ?? []).filter((id) => !had.includes(id));
  if (fresh.length > 0) return [`may pass, and could not before: ${fresh.join(', ')}`];
  return isNarrowed(before.allow) && !isNarrowed(now.allow) && now.allow !== null
    ? ['who may pass is no longer narrowed to some profiles']
    : [];
}

const isNarrowed = (allow: Allow | null): boolean => allow?.profiles !== undefined;

const instantOf = (ms: number | null): string | null =>
  ms === null ? null : formatNearestInstant(ms);
