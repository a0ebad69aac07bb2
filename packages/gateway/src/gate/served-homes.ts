/**
 * Resolves the home folders that a gate was given to profiles and their chains.
 * What holds them is read at every admission, in `admission.ts`.
 */
import { type Chain, chainOfHome, FleetError } from '@fleet-estop/sentinel-core';

export interface ServedHome {
  readonly profile: string;
  /** Folder of its receipts and work in hand; for the profile `default`, the root. */
  readonly home: string;
  readonly chain: Chain;
}

/**
 * In the order of `homes`; a repeated home counts once. `root` is the fleet that is meant. Throws what
 * `chainOfHome` throws: an operator must notice a gateway that nothing could hold.
 */
export function servedHomes(homes: readonly string[], root: string | undefined): ServedHome[] {
  const homesByProfile = new Map<string, ServedHome>();
  for (const home of homes) {
    const chain = chainOfHome(home, root);
    const { profile, scopes } = chain;
    const own = scopes[0]?.dir ?? chain.root;
    const other = homesByProfile.get(profile);
    if (other !== undefined && other.home !== own) {
      const both = `\`${other.home}\` and \`${own}\` are both \`${profile}\``;
      const hint = 'open a gate for each of the two fleets';
      throw new FleetError('PROFILE_INVALID', `two homes of one name: ${both}`, { hint });
    }
    homesByProfile.set(profile, { profile, home: own, chain });
  }
  if (homesByProfile.size === 0) {
    const hint = 'give the home folder of each profile that this process serves';
    throw new FleetError('VALUE_INVALID', 'the gate was given no home folder', { hint });
  }
  return [...homesByProfile.values()];
}

/** The error for a profile that is not served, or is missing although several are served. */
export function unknownProfile(profile: string | undefined, served: readonly string[]): FleetError {
  const message =
    profile === undefined
      ? 'this gate serves several profiles; name one'
      : `this gate does not serve \`${profile}\``;
  const hint = `it serves ${served.map((name) => `\`${name}\``).join(', ')}`;
  return new FleetError('PROFILE_UNKNOWN', message, { hint });
}
