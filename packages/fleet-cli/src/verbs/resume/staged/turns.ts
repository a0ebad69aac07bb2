/**
 * Which profiles get a turn, and what a turn lifts. Everything is read from disk, so that a staged resume
 * that was killed at any step goes on where it stopped.
 */
import {
  DEFAULT_PROFILE,
  FleetError,
  type Hold,
  type LiftSelection,
  type Profile,
  profilesSharing,
} from '@fleet-estop/sentinel-core';
import { isHolderName, usageError } from '../../../cli/values.ts';
import type { Session } from '../../../fleet/session.ts';
import { readProfiles } from '../../../fleet/settings.ts';
import { notSeenIn, readScope } from '../../../fleet/state.ts';
import { targetOf } from '../../../fleet/targets.ts';
import { shellOption } from '../../../text/visible.ts';
import { whyText } from '../../../text/why.ts';
import type { Turn } from './waves.ts';

/**
 * Which hold a turn lifts. `fleet`: the root is held, so each profile first gets a hold of the holder
 * `stand-in`, and the root's is lifted. `rest`: that has been done. `profiles`: the profiles are held each
 * by itself.
 */
export interface Held {
  readonly mode: 'fleet' | 'rest' | 'profiles';
  /** Whose holds keep profiles until their turn. */
  readonly holder: string;
  /** What a turn lifts. */
  readonly turn: LiftSelection;
  /** What is lifted from the root, in the mode `fleet`. */
  readonly own: LiftSelection;
  /** The caller's hold of the root; null: there is none, or only one that nobody signed. */
  readonly rootHold: Hold | null;
}

const SUFFIX = '/staged';

/** The holder of the holds that keep profiles until their turn. */
function standInOf(holder: string): string {
  const name = `${holder}${SUFFIX}`;
  if (isHolderName(name)) return name;
  throw usageError(
    `\`${holder}\` is too long for a staged resume, which adds \`${SUFFIX}\` to it`,
    'use a shorter holder with --as',
  );
}

export function heldBy(
  session: Session,
  { holder, isNamed }: { readonly holder: string; readonly isNamed: boolean },
  goesOn: boolean,
): Held {
  const standIn = standInOf(holder);
  const own: LiftSelection = isNamed ? { holder } : { holder, anonymous: true };
  const ofRoot = holdsOfRoot(session).filter(
    (hold) => hold.holder === holder || (!isNamed && hold.holder === null),
  );
  const rootHold = ofRoot.find((hold) => hold.holder === holder) ?? null;
  const byStandIn = { holder: standIn, turn: { holder: standIn }, own, rootHold };
  if (ofRoot.length > 0) return { mode: 'fleet', ...byStandIn };
  const waiting = namesHeldBy(session, session.selection.listing.profiles, standIn);
  if (waiting.length > 0 && goesOn) return { mode: 'rest', ...byStandIn };
  if (waiting.length > 0) {
    const atOnce = `fleet resume --all-profiles ${shellOption('--as', standIn)}`;
    throw usageError(
      `an earlier staged resume has not ended: ${waiting.length} of the profiles wait for their turn`,
      `go on with --continue; or lift all that are left at once: ${atOnce}`,
    );
  }
  if (goesOn) throw usageError('no profile waits for its turn', 'leave --continue out');
  if (session.selection.profiles !== null) {
    return { mode: 'profiles', holder, turn: own, own, rootHold };
  }
  throw usageError(
    `\`${holder}\` does not hold the root`,
    'select profiles with -p, -l or --all-profiles, or name the holder with --as; see fleet status',
  );
}

/** Throws if the root cannot be read: its holds are unknown, so nothing is lifted. */
function holdsOfRoot({ root, disk }: Session): readonly Hold[] {
  return targetOf(root.root, null).flatMap(({ scope }) => {
    const state = readScope(disk, scope);
    const why = notSeenIn(state);
    if (why !== null) {
      throw new FleetError('SCOPE_UNUSABLE', `the root cannot be read: ${whyText(why)}`, {
        hint: 'repair it; `fleet doctor` says what is wrong',
      });
    }
    return state.check.engaged ? state.check.holds : [];
  });
}

/** Those of these profiles that a hold of this holder holds without end, or whose holds cannot be read. */
export function namesHeldBy(
  { root, disk }: Session,
  profiles: readonly Pick<Profile, 'name'>[],
  holder: string,
): string[] {
  return profiles
    .map(({ name }) => name)
    .filter((name) => {
      const [target] = name === DEFAULT_PROFILE ? [] : targetOf(root.root, name);
      if (target === undefined) return false;
      const state = readScope(disk, target.scope);
      if (!state.check.engaged) return false;
      const isMeant = (hold: Hold) => hold.holder === holder && hold.expiresAt === null;
      return notSeenIn(state) !== null || state.check.holds.some(isMeant);
    });
}

/** In the order of the profiles. A profile without a readable `by` label is in the last group. */
export async function turnsOf(
  profiles: readonly Profile[],
  all: readonly Profile[],
  by: string | null,
): Promise<Turn[]> {
  const groups = by === null ? new Map<string, string>() : await valuesOf(profiles, by);
  const taken = new Set<string>();
  return profiles.flatMap(({ name }) => {
    if (taken.has(name) || name === DEFAULT_PROFILE) return [];
    const names = [name, ...profilesSharing(all, name)];
    for (const one of names) taken.add(one);
    return [{ names, group: groups.get(name) ?? LAST }];
  });
}

/** Sorts behind every value of a label. */
const LAST = '\u{10ffff}';

async function valuesOf(profiles: readonly Profile[], label: string): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { profile, file } of await readProfiles(profiles)) {
    const value = file.state === 'read' ? file.settings.labels?.[label] : undefined;
    if (value !== undefined) values.set(profile.name, value);
  }
  return values;
}
