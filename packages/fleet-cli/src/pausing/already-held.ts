/**
 * Decides whether a pause would change anything. Pausing again without anything new keeps the hold and
 * its id, so that an earlier hold is not attributed to this call.
 */
import {
  type ArmRequest,
  type ArmResult,
  expiryMs,
  type Hold,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { allowedBeyond } from '../fleet/allowlist.ts';

type Armed = Extract<ArmResult, { armed: true }>;

/** The result of an arm that changes nothing; null: this arm would change something. */
export function unchangedResult(
  { check }: ScopeState,
  request: ArmRequest & { readonly holder: string },
): Armed | null {
  if (!check.engaged || check.unreadable !== undefined || check.aside || check.overdue) return null;
  // A compare-and-set always writes.
  if (request.expectGeneration !== undefined) return null;
  const own = check.holds.filter(({ holder }) => holder === request.holder);
  const [hold] = own;
  if (hold === undefined || own.length > 1 || hold.unreadable !== undefined) return null;
  if (!isAsAsked(hold, request)) return null;
  const { generation, holds } = check;
  return { armed: true, id: hold.id, hold, generation, holds, replaced: null };
}

function isAsAsked(hold: Hold, { reason, expiresAt, allow }: ArmRequest): boolean {
  if (reason !== undefined && reason !== hold.reason) return false;
  if (expiresAt !== undefined && expiresAt !== hold.expiresAt) {
    if (expiresAt === null || expiryMs(expiresAt) !== hold.expiresAtMs) return false;
  }
  if (allow === undefined) return true;
  return allowedBeyond(allow, hold.allow) === null && allowedBeyond(hold.allow, allow) === null;
}
