/**
 * What a verb works on: the fleet that was found, the profiles that were selected, the moment.
 * Opening one reads the disk and refuses what is wrong with root and selection, before any write.
 */
import {
  DEFAULT_LANE,
  type DiskPort,
  FleetError,
  laneOf,
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
  /** Milliseconds since the epoch: one moment for the whole answer. */
  readonly nowMs: number;
  /** The id of this call, where it writes; null: it does not. */
  readonly operation: string | null;
  /** Nothing is written: `disk` changes only a copy of what is there. */
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
 * For a verb that writes. HERMES_HOME of one profile can mean that profile or its fleet: a pause of
 * the wrong one is either too much or too little, so it has to be said.
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
    `HERMES_HOME names the profile \`${profile}\`: to ${verb} that profile and to ${verb} the whole fleet are two things`,
    { hint: `say which: ${shellOption('-p', profile)}, or ${shellOption('--root', root)}` },
  );
}

/** FLEET_ROOT says which fleet, and is often set for everything in it; only `--root` says "all of it". */
function profileThatMayBeMeant({ root, source, profile }: RootChoice): string | undefined {
  const home = process.env.HERMES_HOME;
  if (!home || source !== 'FLEET_ROOT') return profile;
  try {
    const name = laneOf(home, root).profile;
    return name === DEFAULT_LANE ? undefined : name;
  } catch (error) {
    // A home of another fleet does not stand in the way of a stop of this one.
    if (error instanceof FleetError) return undefined;
    throw error;
  }
}

/**
 * The profile that HERMES_HOME names; undefined: the root itself, or none is named. Where FLEET_ROOT or
 * `--root` says which fleet, it must be one of its own: a gate of the root alone would be open while that
 * profile is held. Only `--root` may name another fleet than the home's, and is about its root then.
 */
export function profileOfHome(options: GlobalOptions): string | undefined {
  const { profile, root, source } = rootOf(options);
  const home = process.env.HERMES_HOME;
  if (home && (source === '--root' || source === 'FLEET_ROOT')) {
    try {
      const name = laneOf(home, root).profile;
      return name === DEFAULT_LANE ? undefined : name;
    } catch (error) {
      if (source === '--root' && error instanceof FleetError) return undefined;
      throw error;
    }
  }
  if (profile !== DEFAULT_LANE) return profile;
  throw new FleetError(
    'PROFILE_INVALID',
    '`profiles/default`, which HERMES_HOME names, is no lane',
    {
      hint: `the lane \`${DEFAULT_LANE}\` is the root itself`,
    },
  );
}
