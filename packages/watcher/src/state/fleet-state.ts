/**
 * What stands in a whole fleet at one look.
 * How it is read is `read-fleet.ts`; what changed between two looks is `changes.ts`.
 */
import { couldNotLook, type Scope } from '@fleet-estop/sentinel-core';
import { fromLists } from './from-lists.ts';

/** One hold, with what a reader outside this process may see of it. */
export interface HoldView {
  readonly scope: Scope['kind'];
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly expires_at: string | null;
  /** Milliseconds since the epoch; null: never. */
  readonly expires_at_ms: number | null;
  /** How many principals may pass; the list itself is for who may read the disk. */
  readonly allowed_users: number;
  /** Why the hold could not be read; null where it could. An empty file says nothing, and is read. */
  readonly unreadable: string | null;
}

export interface ScopeState {
  readonly kind: Scope['kind'];
  /** The profile's name, for a profile's scope. */
  readonly profile: string | null;
  readonly dir: string;
  readonly engaged: boolean;
  /** An expired sentinel stands here and waits for retirement. */
  readonly expired: boolean;
  readonly generation: string | null;
  readonly holds: readonly HoldView[];
  readonly unreadable: string | null;
}

export interface ProfileState {
  readonly name: string;
  /** Held by any scope of its chain. */
  readonly engaged: boolean;
  /** Its own scope; null for the lane `default`, which is served from the root. */
  readonly own: ScopeState | null;
}

export interface FleetState {
  readonly root: string;
  /** What binds every profile: the root, then the cluster. */
  readonly shared: readonly ScopeState[];
  readonly profiles: readonly ProfileState[];
  /** Folders under `profiles/` that are no lanes, and why. */
  readonly rejected: readonly { readonly name: string; readonly why: string }[];
  /** Why profiles could not be listed: those that were known before stay, and may be no more. */
  readonly unreadable: string | null;
  /** How often the profiles were listed, or were meant to be, up to now. */
  readonly listings: number;
  /**
   * By folder, of each scope that cannot be read now: the holds that stood when it last could be. They
   * may well stand, so none of them has departed.
   */
  readonly lastSeen: ReadonlyMap<string, readonly HoldView[]>;
}

/** Every scope of the fleet once, the shared ones first. */
export const scopesOf = fromLists(({ shared, profiles }): readonly ScopeState[] => [
  ...shared,
  ...profiles.flatMap(({ own }) => (own === null ? [] : [own])),
]);

/** The holds that bind one profile, nearest first. */
export function holdsOf(state: FleetState, profile: ProfileState): HoldView[] {
  return [...(profile.own?.holds ?? []), ...state.shared.flatMap(({ holds }) => holds)];
}

/**
 * What could not be looked at, and why: it counts as held, or is not claimed. What was looked at and is no
 * body (plain text, a folder, one broken entry) plainly holds, and is none of these.
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

/** What a file that could be read may be: then what stood in it before is gone for certain. */
const READ_BUT_NOT_JSON: ReadonlySet<string> = new Set([
  'not-json',
  'not-utf8',
  'utf-16',
  'too-many-holds',
]);

/** Nothing is known of what stands there, by this look. */
export const isUnread = ({ unreadable }: ScopeState): boolean =>
  unreadable !== null && !READ_BUT_NOT_JSON.has(unreadable);

export const unreadIn = fromLists((lists) => scopesOf(lists).filter(isUnread));

export const profilesByName = fromLists(
  ({ profiles }): ReadonlyMap<string, ProfileState> =>
    new Map(profiles.map((profile) => [profile.name, profile])),
);
