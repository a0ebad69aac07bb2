/**
 * Who passes the holds of a chain in one profile, by the allowlists alone.
 * What a gate decides for one principal is the core's `admit`.
 */
import { type Allow, type Hold, intersectAllow, type ScopeState } from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import { MAX_WORDS } from './replies.ts';

/** Whom every hold of these scopes lets pass; null: nobody, or nothing holds. */
export function narrowest(states: readonly ScopeState[]): Allow | null {
  const allows: (Allow | null)[] = [];
  for (const { check } of states) {
    if (!check.engaged) continue;
    allows.push(check.overdue ? null : check.topAllow);
    for (const { allow, unreadable } of check.holds) {
      allows.push(unreadable === undefined ? allow : null);
    }
  }
  return intersectAllow(allows);
}

/** Whom an allowlist lets pass in this profile. */
export function listedIn(allow: Allow | null, profile: string): readonly string[] {
  if (allow === null || allow.profiles?.includes(profile) === false) return [];
  return allow.userIds;
}

/** No other hold is changed; but a hold beside those that let somebody pass can close them. */
export function closedNotice(
  before: readonly ScopeState[],
  hold: Hold,
  profile: string,
): readonly string[] {
  const has = listedIn(hold.allow, profile);
  const lost = listedIn(narrowest(before), profile).filter((id) => !has.includes(id));
  if (lost.length === 0) return [];
  return [
    `Could pass before, and cannot while this stands: ${oneLine(lost.join(', '), MAX_WORDS)}.`,
  ];
}
