/**
 * Which folder is the fleet's root, and how that was found out.
 * It never makes one: an emergency stop in an empty fleet nobody meant would be a false "paused".
 */
import { FleetError } from '../errors.ts';
import { locateHome } from './home.ts';
import { standsAt } from './look.ts';
import { requireRoot } from './recognize.ts';

export type RootSource = '--root' | 'FLEET_ROOT' | 'HERMES_HOME' | '~/.hermes' | '~/.fleet';

export interface RootChoice {
  /** The real path, so that one fleet has one name however it was reached. */
  readonly root: string;
  readonly source: RootSource;
  /** HERMES_HOME names this profile of the fleet. Whether there is one, is not judged here. */
  readonly profile?: string;
}

export interface RootQuestion {
  readonly flag?: string | undefined;
  /** Empty variables count as unset. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** null: there is none to look in. */
  readonly userHome: string | null;
}

/**
 * `--root`, else FLEET_ROOT, else HERMES_HOME, else `~/.hermes` where it exists, else `~/.fleet`.
 * Throws ROOT_MISSING where that is no folder, ROOT_UNRECOGNIZED for a folder that is no fleet,
 * SCOPE_UNUSABLE where it cannot be reached, and VALUE_INVALID for an empty flag.
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
  const source = standsAt(`${userHome}/.hermes`) ? '~/.hermes' : '~/.fleet';
  return chosen(userHome + source.slice(1), source);
}

const chosen = (path: string, source: RootSource): RootChoice => ({
  root: requireRoot(path, source),
  source,
});
