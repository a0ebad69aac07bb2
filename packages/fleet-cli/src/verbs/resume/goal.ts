/**
 * The goal of `resume --wait`: every profile that is free now is acknowledged as free. Profiles that are still
 * held were reported before, and are not waited for.
 */
import { DEFAULT_PROFILE, isProfileName, profilesSharing } from '@fleet-estop/sentinel-core';
import type { Session } from '../../fleet/session.ts';
import { isHeld, type ProfileState, readProfileState, readRootState } from '../../fleet/state.ts';
import { type Goal, homeOf, isThere } from '../../watcher-client/goal.ts';
import type { Resuming } from './resume-scope.ts';

/** `stillHeld`: after the root was resumed, the profiles that still have holds of their own. */
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

  /** The free ones among profiles that were not listed before. */
  const areFree = (names: readonly string[]): string[] => {
    const rootState = readRootState(disk, root.root);
    return names.filter(
      (name) => name === DEFAULT_PROFILE || (isProfileName(name) && !isHeldNow(name, rootState)),
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
        // A profile that was removed meanwhile cannot be acknowledged.
        (name) => state.profiles.has(name) || isThere(root.root, name),
      );
      return [...known, ...areFree(others)];
    },
    // Only the newest revision counts, because the profile may have been held between an older one and this.
    shown(state, profile) {
      const watched = state.profiles.get(profile);
      return watched === undefined || watched.engaged ? null : `${watched.revision}`;
    },
    beganMs: () => beganMs,
  };
}
