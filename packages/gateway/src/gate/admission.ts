/**
 * Makes one admission decision from the disk: admitted, or refused by which holds and until when.
 * Receipts and logs are `profile.ts`; the sentence for people is `notice.ts`.
 */
import {
  admit,
  check,
  type DiskPort,
  expiryMs,
  formatNearestInstant,
  type Ruling,
  type Scope,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { engagementOf } from './engagement.ts';
import type { Door, Refused, RefusingHold } from './gate.ts';
import { noticeOf } from './notice.ts';
import type { Outages } from './outages.ts';

/** Seconds until a refused caller should ask again, at most. */
const MAX_RETRY_AFTER = 60;

/**
 * Scopes of a chain that are held right now, nearest first; null if none is. Never throws [7].
 * INVARIANT 3: "free" is believed only after a second look at all but the last, as `readChain` of the core
 * explains. It does the same, and remembers every scope, which an admission has no use for.
 */
export const heldScopes = (disk: DiskPort, scopes: readonly Scope[]): ScopeState[] | null =>
  heldAmong(disk, scopes) ?? heldAmong(disk, scopes.slice(0, -1));

function heldAmong(disk: DiskPort, scopes: readonly Scope[]): ScopeState[] | null {
  let held: ScopeState[] | null = null;
  for (const scope of scopes) {
    const state = check(disk, scope.dir);
    if (!state.engaged) continue;
    held ??= [];
    held.push({ scope, check: state });
  }
  return held;
}

/**
 * The refusal of this principal, or null if every hold admits it. `outages` tracks the scopes of this
 * chain.
 */
export function refusal(
  profile: string,
  door: Door,
  principal: string | null,
  held: readonly ScopeState[],
  { nowMs, outages }: { readonly nowMs: number; readonly outages: Outages },
): Refused | null {
  const decision = admit(held, { principal, profile });
  if (decision.admitted) {
    // A scope that cannot be read admits nobody, so an admission means that all were read.
    outages.see([]);
    return null;
  }
  const { denials } = decision;
  const holds = denials.map(refusingHold);
  const until = endOf(denials);
  return {
    admitted: false,
    profile,
    door,
    notice: noticeOf(profile, holds, until, nowMs),
    holds,
    until,
    retryAfter: retryAfter(until, nowMs),
    engagement: engagementOf(denials, outages),
  };
}

/** The refusal after an unexpected failure: unknown is held [2]. `nth` is the number of the outage. */
export function refusedByFailure(
  profile: string,
  door: Door,
  error: unknown,
  nth: number | undefined,
): Refused {
  const hold: RefusingHold = {
    scope: 'profile',
    id: 'unknown',
    holder: null,
    reason: null,
    since: null,
    expiresAt: null,
    unreadable: String(error).slice(0, 200),
  };
  return {
    admitted: false,
    profile,
    door,
    notice: noticeOf(profile, [hold], null, 0),
    holds: [hold],
    until: null,
    retryAfter: MAX_RETRY_AFTER,
    engagement: `unknown-${nth}`,
  };
}

function refusingHold({ scope, hold }: Ruling): RefusingHold {
  const sinceMs = hold.engagedAt === null ? null : expiryMs(hold.engagedAt);
  const { id, holder, reason, expiresAtMs } = hold;
  return {
    scope: scope.kind,
    id,
    holder,
    reason,
    since: sinceMs === null ? null : formatNearestInstant(sinceMs),
    expiresAt: expiresAtMs === null ? null : formatNearestInstant(expiresAtMs),
    unreadable: hold.unreadable ?? null,
  };
}

/** The latest deadline of these holds; null if one of them has none. */
function endOf(denials: readonly Ruling[]): string | null {
  let lastMs = 0;
  for (const { hold, because } of denials) {
    if (hold.expiresAtMs === null || because === 'overdue') return null;
    lastMs = Math.max(lastMs, hold.expiresAtMs);
  }
  return formatNearestInstant(lastMs);
}

function retryAfter(until: string | null, nowMs: number): number {
  if (until === null) return MAX_RETRY_AFTER;
  const seconds = Math.ceil((Date.parse(until) - nowMs) / 1000);
  return Math.min(MAX_RETRY_AFTER, Math.max(1, seconds));
}
