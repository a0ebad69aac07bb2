/**
 * The profile of a door that serves one only, made sure of when the door is made: a scheduler would
 * find out at its first tick, which may be at night.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { Gate } from '../gate/gate.ts';

/** Throws PROFILE_UNKNOWN where there is no choice, or none of several. */
export function servedProfile({ profiles }: Gate, profile: string | undefined): string {
  const [only, second] = profiles;
  const chosen = profile ?? (second === undefined ? only : undefined);
  if (chosen !== undefined && profiles.includes(chosen)) return chosen;
  const message =
    profile === undefined
      ? 'a door of a gate with several profiles must be told which'
      : `this gate does not serve \`${profile}\``;
  throw new FleetError('PROFILE_UNKNOWN', message, {
    hint: `name one of those that it serves: ${profiles.map((name) => `\`${name}\``).join(', ')}`,
  });
}
