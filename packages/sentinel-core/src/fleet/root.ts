/**
 * Finds the root of the fleet, and reports what named it.
 * It never makes a root (`fleet init` does): an emergency stop in an empty fleet that nobody meant
 * would be a false "paused".
 */
import { FleetError } from '../errors.ts';
import { locateHome } from './home.ts';
import { nameExists } from './path-status.ts';
import { requireRoot } from './recognize.ts';

/** What named the root. */
export type RootSource = '--root' | 'FLEET_ROOT' | 'HERMES_HOME' | '~/.hermes' | '~/.fleet';

/** The root, and what named it. */
export interface RootChoice {
  /** The real path, so that one fleet has one name however it was reached. */
  readonly root: string;
  readonly source: RootSource;
  /**
   * HERMES_HOME names this profile of the fleet. Whether the profile exists is not checked here.
   */
  readonly profile?: string;
}

/** Where to look for a root. */
export interface RootQuestion {
  readonly flag?: string | undefined;
  /** The environment. Empty variables count as unset. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder; null: there is none. */
  readonly userHome: string | null;
}

/**
 * Finds the root: `--root`, else FLEET_ROOT, else HERMES_HOME (a trailing `profiles/<name>` is
 * stripped), else `~/.hermes` if it exists, else `~/.fleet`. Throws ROOT_MISSING if that is not a
 * folder, ROOT_UNRECOGNIZED for a folder that is not a fleet, SCOPE_UNUSABLE if it cannot be
 * reached, and VALUE_INVALID for an empty flag.
 */
export function resolveRoot({ flag, env, userHome }: RootQuestion): RootChoice {
  if (flag === '') {
    throw new FleetError('VALUE_INVALID', '`--root` is empty', { hint: 'name a folder' });
  }
  if (flag !== undefined) return chosen(flag, '--root');
  if (env.FLEET_ROOT) return chosen(env.FLEET_ROOT, 'FLEET_ROOT');
  if (env.HERMES_HOME) {
    const { root, profile } = locateHome(env.HERMES_HOME);
    const choice = chosen(root, 'HERMES_HOME');
    return profile === null ? choice : { ...choice, profile };
  }
  if (userHome === null || userHome === '') {
    throw new FleetError('ROOT_MISSING', 'there is no home folder to look for a fleet in', {
      hint: 'name the fleet with --root or FLEET_ROOT',
    });
  }
  // A `.hermes` that is a broken link is still the fleet that was meant, and it is missing.
  const source = nameExists(`${userHome}/.hermes`) ? '~/.hermes' : '~/.fleet';
  return chosen(userHome + source.slice(1), source);
}

const chosen = (path: string, source: RootSource): RootChoice => ({
  root: requireRoot(path, source),
  source,
});
