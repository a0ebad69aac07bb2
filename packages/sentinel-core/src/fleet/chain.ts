/**
 * Builds the chain of scopes that binds a profile.
 * `disk/check.ts` reads those scopes; `decide/` judges the result.
 */
import { FleetError } from '../errors.ts';
import type { Chain, Scope } from '../model/scope.ts';
import { locateHome, PROFILES_FOLDER } from './home.ts';
import { DEFAULT_PROFILE, profileHome } from './profiles.ts';

const CLUSTER_FOLDER = 'cluster';

/**
 * The chain of the profile with this home folder, nearest scope first. It goes by the path and
 * proves nothing: `chainOfHome` does. Throws VALUE_INVALID for an empty path, and ROOT_MISSING or
 * SCOPE_UNUSABLE if the path cannot be resolved.
 */
export function chainOf(home: string): Chain {
  if (home === '') {
    throw new FleetError('VALUE_INVALID', 'the home folder is empty', { hint: 'name a folder' });
  }
  const { root, profile } = locateHome(home);
  if (profile === null) return profileChain(root, DEFAULT_PROFILE);
  return chainFrom(root, profile, `${trimmed(root)}/${PROFILES_FOLDER}/${profile}`);
}

/**
 * The chain of a profile by its name, nearest scope first. `root` is absolute. The profile
 * `default` is served from the root itself and has no scope of its own. Throws PROFILE_INVALID
 * before a bad name is joined into a path.
 */
export function profileChain(root: string, profile: string): Chain {
  if (profile === DEFAULT_PROFILE) return { profile, root, scopes: rootScopes(root) };
  return chainFrom(root, profile, profileHome(root, profile));
}

/**
 * The scopes that bind every profile of a fleet: root, then cluster. `root` is absolute. Most hosts
 * are in no cluster; that scope is then absent on disk. Throws nothing.
 */
export function rootScopes(root: string): readonly Scope[] {
  return [
    { kind: 'root', dir: root },
    { kind: 'cluster', dir: `${trimmed(root)}/${CLUSTER_FOLDER}` },
  ];
}

function chainFrom(root: string, profile: string, dir: string): Chain {
  return { profile, root, scopes: [{ kind: 'profile', dir, profile }, ...rootScopes(root)] };
}

/** Only the root of the file system ends in a slash. */
const trimmed = (root: string): string => (root === '/' ? '' : root);
