/**
 * The chain of scopes that binds a profile.
 * What stands in those scopes is `disk/check.ts`; what that means is `decide/`.
 */
import { FleetError } from '../errors.ts';
import type { Chain, Scope } from '../model/scope.ts';
import { locateHome, PROFILES_FOLDER } from './home.ts';
import { DEFAULT_LANE, profileHome } from './profiles.ts';

const CLUSTER_FOLDER = 'cluster';

/** The chain of the profile whose home folder this is; throws where `locateHome` does. */
export function chainOf(home: string): Chain {
  if (home === '') {
    throw new FleetError('VALUE_INVALID', 'the home folder is empty', { hint: 'name a folder' });
  }
  const { root, profile } = locateHome(home);
  if (profile === null) return profileChain(root, DEFAULT_LANE);
  return chainFrom(root, profile, `${trimmed(root)}/${PROFILES_FOLDER}/${profile}`);
}

/**
 * The chain of a profile by its name; `root` is absolute. The lane `default` is served from the root
 * itself and has no scope of its own. Throws PROFILE_INVALID before a bad name is joined into a path.
 */
export function profileChain(root: string, profile: string): Chain {
  if (profile === DEFAULT_LANE) return { profile, root, scopes: rootScopes(root) };
  return chainFrom(root, profile, profileHome(root, profile));
}

/** The scopes that bind every profile of a fleet. Usually no cluster is there: that scope is absent. */
export function rootScopes(root: string): readonly Scope[] {
  return [
    { kind: 'root', dir: root },
    { kind: 'cluster', dir: `${trimmed(root)}/${CLUSTER_FOLDER}` },
  ];
}

function chainFrom(root: string, profile: string, dir: string): Chain {
  return { profile, root, scopes: [{ kind: 'profile', dir, profile }, ...rootScopes(root)] };
}

/** Only the file system's own root ends in a slash. */
const trimmed = (root: string): string => (root === '/' ? '' : root);
