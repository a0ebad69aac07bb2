/**
 * Of a resume: that nothing holds any more, in every profile that is free now. One that is still held
 * was said to be, and is not waited for.
 */
import { DEFAULT_LANE, isProfileName, profilesSharing } from '@fleet-estop/sentinel-core';
import type { Session } from '../../fleet/session.ts';
import { isHeld, type ProfileState, readProfileState, readRootState } from '../../fleet/state.ts';
import { type Goal, homeOf, isThere } from '../../watcher-client/goal.ts';
import type { Resuming } from './resume-scope.ts';

/** `stillHeld`: after the root was resumed, the profiles with holds of their own. */
export function resumeGoal(
  session: Session,
  resumings: readonly Resuming[],
  stillHeld: readonly ProfileState[],
): Goal {
  const { root, disk } = session;
  const { profiles } = session.selection.listing;
  const free = resumings.filter(({ after }) => !isHeld(after));
  const meansAll = free.some(({ target }) => target.profile === null);
  const heldFromTheStart = new Set(stillHeld.map(({ profile }) => profile));
  const meant = meansAll
    ? profiles.map(({ name }) => name)
    : free.flatMap(({ target: { profile } }) =>
        profile === null ? [] : [profile, ...profilesSharing(profiles, profile)],
      );
  const listed = new Set(meant.filter((name) => !heldFromTheStart.has(name)));
  const beganMs = Math.min(...free.map((resuming) => resuming.beganMs));

  const isHeldNow = (name: string, rootState: ProfileState): boolean =>
    isHeld(
      readProfileState(disk, rootState, root.root, { name, home: homeOf(root.root, name) }).states,
    );

  /** Of profiles that were not listed: those that are free, too. */
  const areFree = (names: readonly string[]): string[] => {
    const rootState = readRootState(disk, root.root);
    return names.filter(
      (name) => name === DEFAULT_LANE || (isProfileName(name) && !isHeldNow(name, rootState)),
    );
  };

  return {
    meansAll,
    look() {
      const rootState = readRootState(disk, root.root);
      if (meansAll && isHeld(rootState.states)) return ['the whole fleet is held again'];
      const again = [...listed].filter((name) => isHeldNow(name, rootState));
      return again.map((name) => `${name} is held again`);
    },
    profilesOf(state) {
      if (!meansAll) return [...listed];
      const others = [...state.profiles.keys()].filter(
        (name) => !listed.has(name) && !heldFromTheStart.has(name),
      );
      const known = [...listed].filter(
        // A profile that was removed meanwhile is nobody's to acknowledge.
        (name) => state.profiles.has(name) || isThere(root.root, name),
      );
      return [...known, ...areFree(others)];
    },
    // Of the newest state alone: between an older one and this it may have been held.
    wantedRevision(state, profile) {
      const watched = state.profiles.get(profile);
      return watched === undefined || watched.engaged ? null : watched.revision;
    },
    beganMs: () => beganMs,
  };
}
