/**
 * Finds the fleet of a home folder, and the profile as which it belongs to it.
 * `profiles.ts` lists the profiles of a fleet.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FleetError } from '../errors.ts';
import { codeOrText, meansAbsent } from '../files/errno.ts';

export const PROFILES_FOLDER = 'profiles';

/** The fleet of a home folder, and its profile there. */
export interface HomeLocation {
  readonly root: string;
  /** null: the home is a fleet root itself. */
  readonly profile: string | null;
}

/**
 * Splits `<root>/profiles/<name>`, first as the path is written, then by its real path. The written
 * path comes first, so that a profile that is a link to elsewhere is still bound by the root in
 * whose `profiles` the link lies. The name is not checked here: a home that is not a profile is
 * bound by its root nevertheless. Throws ROOT_MISSING or SCOPE_UNUSABLE if the path cannot be
 * resolved.
 */
export function locateHome(home: string): HomeLocation {
  // `link/..` is not the folder that contains the link, so the written path means nothing.
  const written = home.split('/').includes('..') ? realPath(home) : absolute(home);
  const split = splitHome(written);
  if (split !== null) return { ...split, root: realPathOr(split.root) };
  const real = realPath(written);
  return splitHome(real) ?? { root: real, profile: null };
}

/** The parts of `<root>/profiles/<name>`, by the text of the path alone. */
function splitHome(path: string): { root: string; profile: string } | null {
  const parent = dirname(path);
  const profile = basename(path);
  if (profile === '' || basename(parent) !== PROFILES_FOLDER) return null;
  return { root: dirname(parent), profile };
}

/** The error for a folder that must exist and does not, or cannot be reached. */
export function unreachable(path: string, source: string, cause: unknown): FleetError {
  const code = codeOrText(cause);
  if (meansAbsent(code)) {
    return new FleetError('ROOT_MISSING', `\`${path}\` (${source}) does not exist`, {
      hint: 'make a fleet there with `fleet init`, or name another with --root or FLEET_ROOT',
      cause,
    });
  }
  return new FleetError('SCOPE_UNUSABLE', `\`${path}\` (${source}) cannot be reached: ${code}`, {
    hint: 'repair the path or its permissions, or name another fleet with --root or FLEET_ROOT',
    cause,
  });
}

function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    // The path is relative, and the current folder was removed.
    throw unreachable(path, 'the home folder', cause);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    throw unreachable(path, 'the home folder', cause);
  }
}

/** A path that cannot be resolved is kept as it is written. The next look at it reports why. */
function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
