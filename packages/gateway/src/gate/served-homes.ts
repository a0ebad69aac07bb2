/**
 * Which lanes a gate serves, from the home folders that it was given.
 * What holds them is asked anew at every admission, in `admission.ts`.
 */
import { type Chain, FleetError, laneOf } from '@fleet-estop/sentinel-core';

export interface ServedHome {
  readonly profile: string;
  /** Where its receipts and its work in hand are recorded: the root, for the lane `default`. */
  readonly home: string;
  readonly chain: Chain;
}

/**
 * In the order of `homes`; a home that is given twice counts once. `root`: the fleet that is meant.
 * Throws what `laneOf` throws: whoever starts a gateway must notice that nothing would hold it.
 */
export function servedHomes(homes: readonly string[], root: string | undefined): ServedHome[] {
  const homesByProfile = new Map<string, ServedHome>();
  for (const home of homes) {
    const chain = laneOf(home, root);
    const { profile, scopes } = chain;
    const own = scopes[0]?.dir ?? chain.root;
    const other = homesByProfile.get(profile);
    if (other !== undefined && other.home !== own) {
      const both = `\`${other.home}\` and \`${own}\` are both \`${profile}\``;
      const hint = 'open a gate for each of the two fleets';
      throw new FleetError('PROFILE_INVALID', `one gate, and ${both}`, { hint });
    }
    homesByProfile.set(profile, { profile, home: own, chain });
  }
  if (homesByProfile.size === 0) {
    const hint = 'name the home folder of each profile that is served';
    throw new FleetError('VALUE_INVALID', 'a gate without a home', { hint });
  }
  return [...homesByProfile.values()];
}
