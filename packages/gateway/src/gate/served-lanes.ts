/**
 * Which lanes a gate serves, from the home folders that it was given.
 * What holds them is asked anew at every admission, in `admission.ts`.
 */
import { statSync } from 'node:fs';
import {
  type Chain,
  chainOf,
  DEFAULT_LANE,
  FleetError,
  isProfileName,
} from '@fleet-estop/sentinel-core';

export interface ServedLane {
  readonly profile: string;
  /** Where its receipts and its work in hand are recorded: the root, for the lane `default`. */
  readonly home: string;
  readonly chain: Chain;
}

/**
 * In the order of `homes`; a home that is given twice counts once. Throws SCOPE_UNUSABLE where no
 * folder is, since only the root would bind a lane that was misspelt, and PROFILE_INVALID for a
 * folder that is no lane. A folder that is there and may not be entered is a lane, and held.
 */
export function servedLanes(homes: readonly string[]): ServedLane[] {
  const lanes = new Map<string, ServedLane>();
  for (const home of homes) {
    const chain = chainOf(home);
    const { profile, scopes, root } = chain;
    refuseWhatIsNoLane(home, chain);
    const own = scopes[0]?.dir ?? root;
    const other = lanes.get(profile);
    if (other !== undefined && other.home !== own) {
      const both = `\`${other.home}\` and \`${own}\` are both \`${profile}\``;
      const hint = 'open a gate for each of the two fleets';
      throw new FleetError('PROFILE_INVALID', `one gate, and ${both}`, { hint });
    }
    lanes.set(profile, { profile, home: own, chain });
  }
  if (lanes.size === 0) {
    const hint = 'name the home folder of each profile that is served';
    throw new FleetError('VALUE_INVALID', 'a gate without a home', { hint });
  }
  return [...lanes.values()];
}

function refuseWhatIsNoLane(home: string, { profile, scopes }: Chain): void {
  const isNested = scopes[0]?.kind === 'profile';
  if (isNested && (!isProfileName(profile) || profile === DEFAULT_LANE)) {
    throw new FleetError('PROFILE_INVALID', `\`${home}\` is no lane of a fleet`, {
      hint: 'a name is 1 to 64 of a-z, 0-9, `-` and `_`, begins with a letter or digit, and is not `default`',
    });
  }
  const why = whyNoFolder(home);
  if (why === null) return;
  throw new FleetError('SCOPE_UNUSABLE', `the home folder \`${home}\` ${why}`, {
    hint: 'make the folder first, or correct the path',
  });
}

/** null: it is one, or one that we may not look at. */
function whyNoFolder(home: string): string | null {
  try {
    return statSync(home).isDirectory() ? null : 'is not a folder';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : null;
  }
}
