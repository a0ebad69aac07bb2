/**
 * Which profiles get a turn, and what a turn lifts. Everything is read from disk, so that a staged resume
 * that was killed at any step goes on where it stopped.
 */
import {
  DEFAULT_PROFILE,
  FleetError,
  type Hold,
  isHolderName,
  type LiftSelection,
  type Profile,
  profilesSharing,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { usageError } from '../../../cli/values.ts';
import type { Session } from '../../../fleet/session.ts';
import { readProfiles } from '../../../fleet/settings.ts';
import { notSeenIn, readScope } from '../../../fleet/state.ts';
import { targetOf } from '../../../fleet/targets.ts';
import { shellOption, visible } from '../../../text/visible.ts';
import { whyText } from '../../../text/why.ts';
import type { Turn } from './waves.ts';

/**
 * Where the holds are that the turns lift. `fleet`: in the root, so each profile first gets a hold of its own
 * in its stead, and the root's is lifted. `rest`: that was done before, by a staged resume that did not end.
 * `profiles`: each profile was held by itself.
 */
export interface StagedMode {
  readonly kind: 'fleet' | 'rest' | 'profiles';
  /** Whose holds keep profiles until their turn. */
  readonly holder: string;
  /** What a turn lifts. */
  readonly turn: LiftSelection;
  /** What is lifted from the root, if it is held there. */
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

export function stagedModeOf(
  session: Session,
  { holder, isNamed }: { readonly holder: string; readonly isNamed: boolean },
  goesOn: boolean,
): StagedMode {
  const standIn = standInOf(holder);
  const own: LiftSelection = isNamed ? { holder } : { holder, anonymous: true };
  const root = holdsIn(session, null);
  if (root.unread !== null) {
    throw new FleetError('SCOPE_UNUSABLE', `the root cannot be read: ${whyText(root.unread)}`, {
      hint: 'repair it; `fleet doctor` says what is wrong',
    });
  }
  const ofRoot = root.holds.filter(
    (hold) => hold.holder === holder || (!isNamed && hold.holder === null),
  );
  const rootHold = ofRoot.find((hold) => hold.holder === holder) ?? null;
  const byStandIn = { holder: standIn, turn: { holder: standIn }, own, rootHold };
  if (ofRoot.length > 0) return { kind: 'fleet', ...byStandIn };
  const waiting = waitingIn(session, session.selection.listing.profiles, standIn);
  if (waiting.length > 0 && goesOn) return { kind: 'rest', ...byStandIn };
  if (waiting.length > 0) {
    const atOnce = `fleet resume --all-profiles ${shellOption('--as', standIn)}`;
    throw usageError(
      `an earlier staged resume has not ended: ${waiting.length} of the profiles wait for their turn`,
      `go on with --continue; or lift all that are left at once: ${atOnce}`,
    );
  }
  if (goesOn) throw usageError('no profile waits for its turn', 'leave --continue out');
  if (session.selection.profiles !== null) {
    return { kind: 'profiles', holder, turn: own, own, rootHold };
  }
  throw usageError(
    `\`${holder}\` does not hold the root`,
    'select profiles with -p, -l or --all-profiles, or name the holder with --as; see fleet status',
  );
}

/** The holds of a profile's own folder, or (null) of the root's. */
export interface OwnHolds {
  readonly holds: readonly Hold[];
  /** Why they cannot be read; null: they can. */
  readonly unread: string | null;
}

export function holdsIn({ root, disk }: Session, profile: string | null): OwnHolds {
  const [target] = targetOf(root.root, profile);
  if (target === undefined) return { holds: [], unread: null };
  const state = readScope(disk, target.scope);
  return { holds: state.check.engaged ? state.check.holds : [], unread: notSeenIn(state) };
}

/** Whether this holder's hold was seen. One with a deadline does not count: it may end before the turn. */
export const isWaiting = ({ holds }: OwnHolds, holder: string): boolean =>
  holds.some((hold) => hold.holder === holder && hold.expiresAt === null);

/** Those of these profiles that wait for their turn, or cannot be read and so may. */
export const waitingIn = (
  session: Session,
  profiles: readonly Pick<Profile, 'name'>[],
  holder: string,
): string[] =>
  profiles
    .map(({ name }) => name)
    .filter((name) => {
      if (name === DEFAULT_PROFILE) return false;
      const own = holdsIn(session, name);
      return own.unread !== null || isWaiting(own, holder);
    });

/** Distinct; null: nobody signed the hold. */
export const holdersOf = (states: readonly ScopeState[]): (string | null)[] => [
  ...new Set(
    states.flatMap(({ check }) => (check.engaged ? check.holds.map(({ holder }) => holder) : [])),
  ),
];

/** The same for people. */
export const holderNames = (states: readonly ScopeState[]): string[] =>
  holdersOf(states).map((holder) => (holder === null ? '(anonymous)' : visible(holder)));

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
