/**
 * Chooses the profile of a door when the door is created: a scheduler would otherwise fail at its first
 * tick, which may be at night.
 */
import type { Gate } from '../gate/gate.ts';
import { unknownProfile } from '../gate/served-homes.ts';

/** Throws PROFILE_UNKNOWN if `profile` is not served, or is missing and the gate serves several. */
export function servedProfile({ profiles }: Gate, profile: string | undefined): string {
  const [only, second] = profiles;
  const chosen = profile ?? (second === undefined ? only : undefined);
  if (chosen !== undefined && profiles.includes(chosen)) return chosen;
  throw unknownProfile(profile, profiles);
}
