/**
 * What is to be drained: the selected profiles or all of them, whether they are held on disk, and the homes
 * whose registers count. It is the goal of the waiting for acknowledgements, too.
 */
import {
  DEFAULT_PROFILE,
  listProfiles,
  profilesSharing,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { profileName } from '../fleet/hold-text.ts';
import { readFleet } from '../fleet/read-fleet.ts';
import type { Session } from '../fleet/session.ts';
import { isHeld, type ProfileState } from '../fleet/state.ts';
import { keysOf, seesSame } from '../watcher-client/account.ts';
import { type Goal, homeOf, isThere } from '../watcher-client/goal.ts';

export interface Draining extends Goal {
  /** The selected profiles, or all that there were at the last look, with the folders of their registers. */
  readonly homes: () => readonly { readonly profile: string; readonly home: string }[];
}

export function drainingOf(session: Session): Draining {
  const { selection } = session;
  const root = session.root.root;
  const meansAll = selection.profiles === null;
  const selected = withSharing(session);
  const beganMs = Date.now();
  let current = readStates(session, selected);

  const goal: Draining = {
    meansAll,
    look() {
      const before = current;
      current = readStates(session, selected);
      const bound = meansAll ? [ROOT] : selected;
      return bound.flatMap((name) => {
        const states = current.get(name) ?? [];
        return isHeld(states) ? [] : [notHeldText(name, before.get(name) ?? [])];
      });
    },
    profilesOf(state) {
      if (!meansAll) return selected;
      const listed = [...current.keys()].filter(
        (name) => name !== ROOT && name !== DEFAULT_PROFILE,
      );
      const others = listed.filter((name) => !state.profiles.has(name));
      return [...state.profiles.keys(), ...others.filter((name) => isThere(root, name))];
    },
    // INVARIANT 12: an acknowledgement counts only if the watcher has seen exactly what the disk says now.
    shown(state, profile) {
      const states = current.get(profile);
      if (states === undefined || !seesSame(state, { profile, states })) return null;
      return states.flatMap(keysOf).sort().join('\n');
    },
    beganMs: () => beganMs,
    homes() {
      const names = meansAll ? [...current.keys()].filter((name) => name !== ROOT) : selected;
      return names.map((profile) => ({ profile, home: homeOf(root, profile) }));
    },
  };
  return goal;
}

/** No profile can have this name. */
const ROOT = '';

/** Profiles that share a folder share its sentinel and its register. */
function withSharing({ selection: { profiles, listing } }: Session): readonly string[] {
  const names = (profiles ?? []).flatMap(({ name }) => [
    name,
    ...profilesSharing(listing.profiles, name),
  ]);
  return [...new Set(names)];
}

/** Read anew each time: profiles may have come and gone. */
function readStates(
  session: Session,
  selected: readonly string[],
): ReadonlyMap<string, readonly ScopeState[]> {
  const { root, selection } = session;
  const listing = listProfiles(root.root);
  const profiles =
    selection.profiles === null
      ? null
      : selected.map((name) => ({ name, home: homeOf(root.root, name) }));
  const now = { ...session, selection: { ...selection, listing, profiles } };
  const facts = readFleet(now);
  const named = facts.profileStates.flatMap(({ profile, states }) =>
    profile === null ? [] : [[profile, states] as const],
  );
  const ofRoot = facts.root.states;
  // The root can be served as the profile `default`, with a register of its own.
  const all = profiles === null ? ([[DEFAULT_PROFILE, ofRoot]] as const) : [];
  return new Map<string, ProfileState['states']>([[ROOT, ofRoot], ...all, ...named]);
}

function notHeldText(name: string, before: readonly ScopeState[]): string {
  const what = name === ROOT ? 'the whole fleet' : profileName(name);
  const holds = before.flatMap(({ check }) => (check.engaged ? check.holds : []));
  if (holds.length === 0) return `nothing holds ${what}`;
  const isOver = holds.every(
    ({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= Date.now(),
  );
  return `nothing holds ${what} any more: ${isOver ? 'the deadline has passed' : 'it was resumed'}`;
}
