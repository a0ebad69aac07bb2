/**
 * The state of a whole fleet at one look.
 * Reading it is `read-fleet.ts`; comparing two looks is `changes.ts`.
 */
import type {
  HoldView,
  ProfileView,
  RejectedProfile,
  ScopeView,
  Unreadable,
} from '@fleet-estop/protocol';
import { couldNotLook } from '@fleet-estop/sentinel-core';
import { fromLists } from './from-lists.ts';

export type ScopeState = ScopeView;
export type ProfileState = Omit<ProfileView, 'revision' | 'acknowledgement'>;

export interface FleetState {
  readonly root: string;
  /** The scopes that bind every profile: the root, then the cluster. */
  readonly shared: readonly ScopeState[];
  readonly profiles: readonly ProfileState[];
  /** Folders under `profiles/` that are not profiles, and why. */
  readonly rejected: readonly RejectedProfile[];
  /** Why profiles could not be listed: known ones stay, and may no longer exist. */
  readonly unreadable: string | null;
  /** How many listings there have been, failed ones included. */
  readonly listings: number;
  /**
   * By folder, for each scope that cannot be read now: its holds when it was last readable. They
   * may still stand, so none of them has departed.
   */
  readonly lastSeen: ReadonlyMap<string, readonly HoldView[]>;
}

/** What is derived from a fleet's lists is cached by them. */
export type FleetLists = Pick<FleetState, 'root' | 'shared' | 'profiles'>;

/** Every scope of the fleet once; shared scopes first. */
export const scopesOf = fromLists(({ shared, profiles }: FleetLists): readonly ScopeState[] => [
  ...shared,
  ...profiles.flatMap(({ own }) => (own === null ? [] : [own])),
]);

/** The holds that bind one profile, nearest first. */
export function holdsOf(state: FleetState, profile: ProfileState): HoldView[] {
  return [...(profile.own?.holds ?? []), ...state.shared.flatMap(({ holds }) => holds)];
}

/**
 * What could not be looked at, and why: it counts as held, or is not claimed. A file that was read
 * but is no valid body (plain text, a folder, one broken entry) simply holds, and is not listed.
 */
export function unreadableIn(state: FleetState): Unreadable[] {
  const found = state.unreadable === null ? [] : [{ what: 'profiles', why: state.unreadable }];
  for (const { dir, unreadable, holds } of scopesOf(state)) {
    const causes = [unreadable, ...holds.map((hold) => hold.unreadable)];
    const why = causes.find((cause) => cause !== 'entry' && couldNotLook(cause ?? undefined));
    if (why != null) found.push({ what: dir, why });
  }
  return found;
}

/** Reasons of files that were read: their earlier holds are certainly gone. */
const READ_BUT_NOT_JSON: ReadonlySet<string> = new Set([
  'not-json',
  'not-utf8',
  'utf-16',
  'too-many-holds',
]);

/** This look says nothing about the scope's holds. */
export const isUnread = ({ unreadable }: ScopeState): boolean =>
  unreadable !== null && !READ_BUT_NOT_JSON.has(unreadable);

export const unreadIn = fromLists((lists: FleetLists) => scopesOf(lists).filter(isUnread));

export const profilesByName = fromLists(
  ({ profiles }: FleetLists): ReadonlyMap<string, ProfileState> =>
    new Map(profiles.map((profile) => [profile.name, profile])),
);
