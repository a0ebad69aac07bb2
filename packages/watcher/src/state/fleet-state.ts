/**
 * The state of a whole fleet at one look.
 * Reading it is `read-fleet.ts`; comparing two looks is `changes.ts`.
 */
import { couldNotLook, type Scope } from '@fleet-estop/sentinel-core';
import { fromLists } from './from-lists.ts';

/** One hold, with the fields that readers outside this process may see. */
export interface HoldView {
  readonly scope: Scope['kind'];
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly expires_at: string | null;
  /** Milliseconds since the epoch; null: never. */
  readonly expires_at_ms: number | null;
  /** How many principals may pass; their names are only on disk. */
  readonly allowed_users: number;
  /** Why the hold could not be read; null: it could. An empty file is readable. */
  readonly unreadable: string | null;
}

export interface ScopeState {
  readonly kind: Scope['kind'];
  /** Name of the profile, for a profile's scope. */
  readonly profile: string | null;
  readonly dir: string;
  readonly engaged: boolean;
  /** An expired sentinel is here and waits for retirement. */
  readonly expired: boolean;
  readonly generation: string | null;
  readonly holds: readonly HoldView[];
  readonly unreadable: string | null;
}

export interface ProfileState {
  readonly name: string;
  /** Held by any scope of its chain. */
  readonly engaged: boolean;
  /** Its own scope; null for the profile `default`, which is served from the root. */
  readonly own: ScopeState | null;
}

export interface FleetState {
  readonly root: string;
  /** The scopes that bind every profile: the root, then the cluster. */
  readonly shared: readonly ScopeState[];
  readonly profiles: readonly ProfileState[];
  /** Folders under `profiles/` that are not profiles, and why. */
  readonly rejected: readonly { readonly name: string; readonly why: string }[];
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
export function unreadableIn(state: FleetState): { readonly what: string; readonly why: string }[] {
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
