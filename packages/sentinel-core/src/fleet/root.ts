/**
 * Which folder is the fleet's root, and how that was found out.
 * It never makes one: an emergency stop in an empty fleet nobody meant would be a false "paused".
 */
import { realpathSync, statSync } from 'node:fs';
import { FleetError } from '../errors.ts';
import { locateHome, unreachable } from './home.ts';
import { standsAt } from './look.ts';

export type RootSource = '--root' | 'FLEET_ROOT' | 'HERMES_HOME' | '~/.hermes' | '~/.fleet';

export interface RootChoice {
  /** The real path, so that one fleet has one name however it was reached. */
  readonly root: string;
  readonly source: RootSource;
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
 * Throws ROOT_MISSING where that is no folder, SCOPE_UNUSABLE where it cannot be reached, and
 * VALUE_INVALID for an empty flag.
 */
export function resolveRoot({ flag, env, userHome }: RootQuestion): RootChoice {
  if (flag === '') {
    throw new FleetError('VALUE_INVALID', '`--root` is empty', { hint: 'name a folder' });
  }
  if (flag !== undefined) return chosen(flag, '--root');
  if (env.FLEET_ROOT) return chosen(env.FLEET_ROOT, 'FLEET_ROOT');
  if (env.HERMES_HOME) return chosen(locateHome(env.HERMES_HOME).root, 'HERMES_HOME');
  if (userHome === null || userHome === '') {
    throw new FleetError('ROOT_MISSING', 'there is no home folder to look for a fleet in', {
      hint: 'name the fleet with --root or FLEET_ROOT',
    });
  }
  // A `.hermes` that is a broken link is still the fleet that was meant, and it is missing.
  const source = standsAt(`${userHome}/.hermes`) ? '~/.hermes' : '~/.fleet';
  return chosen(userHome + source.slice(1), source);
}

function chosen(path: string, source: RootSource): RootChoice {
  try {
    if (statSync(path).isDirectory()) return { root: realpathSync.native(path), source };
  } catch (cause) {
    throw unreachable(path, source, cause);
  }
  throw new FleetError('ROOT_MISSING', `\`${path}\` (${source}) is not a folder`, {
    hint: 'name the fleet with --root or FLEET_ROOT',
  });
}
