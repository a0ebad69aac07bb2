/**
 * What a verb works on: the root, the selected profiles, the disk and the current time.
 * Opening a session reads the disk and refuses an invalid root or selection before anything is written.
 */
import {
  chainOfHome,
  DEFAULT_PROFILE,
  type DiskPort,
  FleetError,
  newOperation,
  nodeDisk,
  type RootChoice,
  resolveRoot,
} from '@fleet-estop/sentinel-core';
import type { ColorChoice } from '../text/view.ts';
import { shellOption } from '../text/visible.ts';
import { type Selection, type SelectionOptions, select } from './selection.ts';

/** The options that every verb has. */
export interface GlobalOptions {
  readonly root?: string;
  readonly json?: true;
  readonly color?: ColorChoice;
  readonly quiet?: true;
}

export interface Session {
  readonly root: RootChoice;
  readonly selection: Selection;
  readonly disk: DiskPort;
  /** Milliseconds since the epoch: one time for the whole answer. */
  readonly nowMs: number;
  /** The id of this call if it writes; null: it only reads. */
  readonly operation: string | null;
  /** Nothing is written: `disk` changes only a copy in memory. */
  readonly dryRun?: true;
}

export function rootOf({ root: flag }: GlobalOptions): RootChoice {
  // Not os.homedir(): it falls back to the password file, and so to a fleet that nobody named.
  return resolveRoot({ flag, env: process.env, userHome: process.env.HOME ?? null });
}

export function openSession(options: GlobalOptions & SelectionOptions, nowMs: number): Session {
  const root = rootOf(options);
  const selection = select(root.root, options);
  return { root, selection, disk: nodeDisk(), nowMs, operation: null };
}

/**
 * For a verb that writes. HERMES_HOME of a profile can mean that profile or its whole fleet. Pausing the
 * wrong one would hold too much or too little, so the user must choose.
 */
export function openForWriting(
  options: GlobalOptions & SelectionOptions,
  nowMs: number,
  verb: string,
): Session {
  const session = { ...openSession(options, nowMs), operation: newOperation() };
  const { root } = session.root;
  if (options.profile !== undefined) return session;
  const profile = profileThatMayBeMeant(session.root);
  if (profile === undefined) return session;
  throw new FleetError(
    'VALUE_INVALID',
    `HERMES_HOME names the profile \`${profile}\`, so it is not clear whether to ${verb} that profile or the whole fleet`,
    { hint: `say which: ${shellOption('-p', profile)}, or ${shellOption('--root', root)}` },
  );
}

/**
 * FLEET_ROOT only names the fleet, and is often set for every process in it; `--root` means the whole
 * fleet.
 */
function profileThatMayBeMeant({ root, source, profile }: RootChoice): string | undefined {
  const home = process.env.HERMES_HOME;
  if (!home || source !== 'FLEET_ROOT') return profile;
  try {
    const name = chainOfHome(home, root).profile;
    return name === DEFAULT_PROFILE ? undefined : name;
  } catch (error) {
    // HERMES_HOME of another fleet must not block a pause of this one.
    if (error instanceof FleetError) return undefined;
    throw error;
  }
}

/**
 * The profile that HERMES_HOME names; undefined: the root itself, or none. If FLEET_ROOT or `--root` names
 * the fleet, the profile must belong to it: a gate that asks only for the root would be open while that
 * profile is held. Only `--root` may name another fleet than that of the home, and then the root is meant.
 */
export function profileOfHome(options: GlobalOptions): string | undefined {
  const { profile, root, source } = rootOf(options);
  const home = process.env.HERMES_HOME;
  if (home && (source === '--root' || source === 'FLEET_ROOT')) {
    try {
      const name = chainOfHome(home, root).profile;
      return name === DEFAULT_PROFILE ? undefined : name;
    } catch (error) {
      if (source === '--root' && error instanceof FleetError) return undefined;
      throw error;
    }
  }
  if (profile !== DEFAULT_PROFILE) return profile;
  throw new FleetError(
    'PROFILE_INVALID',
    '`profiles/default`, which HERMES_HOME names, is not a profile',
    {
      hint: `the profile \`${DEFAULT_PROFILE}\` is the root itself`,
    },
  );
}
