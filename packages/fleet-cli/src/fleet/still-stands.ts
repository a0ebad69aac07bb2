/**
 * Whether a hold that was just placed is still there when its scope is read once more.
 */
import type { ArmResult, ScopeState } from '@fleet-estop/sentinel-core';

type Armed = Extract<ArmResult, { armed: true }>;

/** `after`: read after the arm returned, the scope of the hold first. */
export function stillStands({ hold, degraded }: Armed, after: readonly ScopeState[]): boolean {
  const [own] = after;
  if (own === undefined || !own.check.engaged) return false;
  // An empty file or folder has nothing to be told apart by; what cannot be read may well be ours.
  if (degraded === 'empty' || degraded === 'folder' || own.check.unreadable !== undefined)
    return true;
  return own.check.holds.some(({ id, unreadable }) => id === hold.id || unreadable !== undefined);
}
