/**
 * Which fleet a home folder belongs to, and as which profile.
 * Which folders are profiles of a fleet is `profiles.ts`.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FleetError } from '../errors.ts';
import { codeOf, meansMissing } from './look.ts';

export const PROFILES_FOLDER = 'profiles';

export interface HomeLocation {
  readonly root: string;
  /** null: the home is a fleet root itself. */
  readonly profile: string | null;
}

/**
 * `<root>/profiles/<name>` as the path is written, else as it really is. As written comes first, so
 * that a profile that is a link to elsewhere is still bound by the root whose `profiles` it stands
 * in. The name is not judged here: a home that is no lane is bound by its root all the same.
 * Throws ROOT_MISSING or SCOPE_UNUSABLE where that cannot be told.
 */
export function locateHome(home: string): HomeLocation {
  // `link/..` is not the folder that holds the link, so such a path means nothing as written.
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

/** The error for a folder that must be there and is not, or cannot be reached. */
export function unreachable(path: string, source: string, cause: unknown): FleetError {
  const code = codeOf(cause);
  if (meansMissing(code)) {
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
    // A relative path, and the current folder was removed.
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

/** What cannot be resolved is kept as it is written: whoever looks there is told why. */
function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
