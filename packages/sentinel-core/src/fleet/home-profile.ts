/**
 * Finds the profile of a home folder and proves it: the folder exists, its name is a profile's, and
 * the root above it shows that it is one. Every caller that asks what holds a home starts here.
 * `chain.ts` builds the chain of a path that is already trusted.
 */
import { FleetError } from '../errors.ts';
import { meansAbsent } from '../files/errno.ts';
import type { Chain } from '../model/scope.ts';
import { profileChain } from './chain.ts';
import { locateHome } from './home.ts';
import { identityOf, statOrErrno } from './path-status.ts';
import { DEFAULT_PROFILE, isProfileName, listProfiles } from './profiles.ts';
import { recognizeRoot, requireRecognized, requireRoot } from './recognize.ts';

/**
 * The chain of the profile that is served from `home`, nearest scope first. If `root` is given, the
 * home must belong to that fleet, under whatever path it is mounted. Default: the fleet in which
 * the path lies. A folder that exists and may not be entered is a profile, and held.
 *
 * Throws VALUE_INVALID for an empty home, SCOPE_UNUSABLE if there is no folder or `profiles/`
 * cannot be read, PROFILE_INVALID for a folder that is not a profile, or not one of `root`, and the
 * errors of `requireRoot`. Decision: `2026-11-30-a-root-shows-that-it-is-one.md`.
 */
export function chainOfHome(home: string, root?: string): Chain {
  if (home === '') {
    throw new FleetError('VALUE_INVALID', 'the home folder is empty', { hint: 'name a folder' });
  }
  const located = locateHome(home);
  const { profile } = located;
  if (profile !== null && (!isProfileName(profile) || profile === DEFAULT_PROFILE)) {
    throw new FleetError('PROFILE_INVALID', `\`${home}\` is not a profile of a fleet`, {
      hint: 'a name is 1 to 64 of a-z, 0-9, `-` and `_`, begins with a letter or digit, and is not `default`',
    });
  }
  requireFolder(home);
  if (root !== undefined) return profileIn(requireRoot(root, 'root'), home, located);
  requireRecognized(
    located.root,
    profile === null ? 'the home folder' : `the fleet of \`${home}\``,
  );
  return profileChain(located.root, profile ?? DEFAULT_PROFILE);
}

/** The chain of the profile of this fleet that the folder is, whatever path leads to it. */
function profileIn(root: string, home: string, located: ReturnType<typeof locateHome>): Chain {
  if (isSameFolder(located.root, root))
    return profileChain(root, located.profile ?? DEFAULT_PROFILE);
  if (isSameFolder(home, root)) return profileChain(root, DEFAULT_PROFILE);
  const { profiles, unreadable } = listProfiles(root);
  if (unreadable !== undefined) {
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `the profiles of \`${root}\` are unknown: ${unreadable}`,
      { hint: 'repair its `profiles/`' },
    );
  }
  const same = profiles.filter((profile) => isSameFolder(profile.home, home));
  const own = same.find(({ link }) => !link) ?? same[0];
  if (own !== undefined) return profileChain(root, own.name);
  throw new FleetError('PROFILE_INVALID', `\`${home}\` is no profile of the fleet \`${root}\``, {
    hint:
      recognizeRoot(located.root).is === 'root'
        ? `its fleet is \`${located.root}\``
        : 'name the fleet that it belongs to, and mount that fleet as well',
  });
}

function requireFolder(home: string): void {
  const found = statOrErrno(home);
  if (typeof found === 'string' && !meansAbsent(found)) return;
  if (typeof found !== 'string' && found.isDirectory()) return;
  const why = typeof found === 'string' ? 'does not exist' : 'is not a folder';
  throw new FleetError('SCOPE_UNUSABLE', `the home folder \`${home}\` ${why}`, {
    hint: 'make the folder first, or correct the path',
  });
}

/** A folder that cannot be looked at is not known to be the same. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [statOrErrno(one), statOrErrno(other)];
  return typeof a !== 'string' && typeof b !== 'string' && identityOf(a) === identityOf(b);
}
