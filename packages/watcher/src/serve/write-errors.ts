/**
 * HTTP errors and warnings for writes that failed or were done differently than asked.
 */
import { type ArmResult, DEFAULT_PROFILE, listProfiles } from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';

export const notStanding = (id: string): HttpError =>
  httpError(
    404,
    'hold-unknown',
    `no hold \`${id}\` stands`,
    'see /v1/state for the holds that stand',
  );

export function profileError(root: string, profile: string): HttpError | null {
  if (profile === DEFAULT_PROFILE) {
    const hint = 'use `"root": true` to pause the whole fleet';
    return httpError(409, 'root-lane', 'the sentinel of `default` is the whole fleet’s', hint);
  }
  const { profiles, unreadable } = listProfiles(root);
  if (profiles.some(({ name }) => name === profile)) return null;
  if (unreadable !== undefined) {
    const hint = 'pause the whole fleet with `"root": true`, or repair the folder';
    return httpError(503, 'profiles-unreadable', `profiles cannot be listed: ${unreadable}`, hint);
  }
  const hint = 'see /v1/state for the profiles that exist';
  return httpError(404, 'profile-unknown', `there is no profile \`${profile}\``, hint);
}

/** A hold in a folder that took the place of the fleet's binds nobody. */
export const notAFleet = (root: string): HttpError =>
  httpError(
    503,
    'fleet-gone',
    `not armed: \`${root}\` is no fleet, or was moved or replaced meanwhile`,
    'look at the folder, and try again',
  );

export function notArmed({ why, engaged }: Extract<ArmResult, { armed: false }>): HttpError {
  const held = engaged ? 'other holds remain in the scope' : 'nothing holds the scope';
  const isConflict = ['conflict', 'overtaken', 'too-many-holders', 'too-large'].includes(why);
  const message = `not armed: ${why}; ${held}`;
  return httpError(isConflict ? 409 : 503, 'not-armed', message, 'look at /v1/state and try again');
}

/** Warnings for a hold that stands, but not as asked. */
export function degraded(result: Extract<ArmResult, { armed: true }>): string[] {
  const warnings: string[] = [];
  if (result.degraded === 'direct') warnings.push(`written without a tenure: ${result.why}`);
  if (result.degraded === 'empty' || result.degraded === 'folder') {
    const placed = result.degraded === 'empty' ? 'file' : 'folder';
    warnings.push(
      `only an empty ${placed} could be created: it holds until it is lifted (${result.why})`,
    );
  }
  if (result.shortened) warnings.push('the reason was too long and was cut');
  return warnings;
}
