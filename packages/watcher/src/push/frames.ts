/**
 * Encoded state lines: each is built once per profile and revision, and written to every gateway.
 * The state itself is `state/`; `gateways.ts` decides who gets which line.
 */

import type { HoldView } from '@fleet-estop/protocol';
import { encodeState, type StateHold } from '@fleet-estop/protocol';
import { type FleetState, profilesByName } from '../state/fleet-state.ts';
import type { Snapshot } from '../state/store.ts';

export interface Frame {
  readonly revision: number;
  readonly line: Uint8Array;
}

export interface Frames {
  /** Takes the newest snapshot. false: no frame can have changed. */
  update(snapshot: Snapshot): boolean;
  /** Any other profile is an outsider, which is bound only by what binds everybody. */
  isInFleet(profile: string): boolean;
  /** Revision of the newest frame, which only grows; null: the state is unknown now. */
  revisionOf(profile: string): number | null;
  /** The newest whole state; null: it is unknown now. */
  frameOf(profile: string): Frame | null;
}

/**
 * An outsider is a profile that a gateway serves and the fleet does not have: its folder does not
 * exist, or its name is invalid. Its own scope cannot be read here, so its state is that of the
 * shared scopes, numbered by the last change of those or of the list of profiles. While profiles
 * cannot be listed it may be one of them: then it is only sent holds that bind everybody [12].
 */
export function frames(first: Snapshot): Frames {
  let newest = first;
  let outsideRevision = first.revision;
  /** The shared scopes changed, and that change has no revision yet. */
  let outsideUnnumbered = false;
  /** Built once per look, not once for each of a thousand profiles. */
  let heldForAll = sharedHolds(first.fleet);
  const built = new Map<string, Frame>();

  const outsideKnown = ({ fleet }: Snapshot): boolean =>
    !outsideUnnumbered && (fleet.unreadable === null || isHeldByAll(fleet));

  const isInFleet = (profile: string): boolean => newest.profileRevisions.has(profile);

  const revisionOf = (profile: string): number | null =>
    newest.profileRevisions.get(profile) ?? (outsideKnown(newest) ? outsideRevision : null);

  const lineOf = (profile: string, revision: number): Uint8Array => {
    const { fleet, epoch } = newest;
    const outsider = { name: profile, engaged: isHeldByAll(fleet), own: null };
    const { name, engaged, own } = profilesByName(fleet).get(profile) ?? outsider;
    // Nearest first.
    const holds = [...(own?.holds ?? []).map(stateHoldOf), ...heldForAll];
    const state = { type: 'state', epoch, revision, profile: name, engaged, holds } as const;
    return Buffer.from(encodeState(state));
  };

  return {
    isInFleet,
    revisionOf,
    update(snapshot) {
      const before = newest;
      newest = snapshot;
      const isNewLook = snapshot.fleet !== before.fleet;
      if (isNewLook) {
        if (snapshot.fleet.shared !== before.fleet.shared) heldForAll = sharedHolds(snapshot.fleet);
        if (changedForOutsiders(before, snapshot)) outsideUnnumbered = true;
      }
      const numbered = outsideUnnumbered && snapshot.revision > outsideRevision;
      if (numbered) {
        outsideUnnumbered = false;
        outsideRevision = snapshot.revision;
      }
      return isNewLook || numbered;
    },
    frameOf(profile) {
      const revision = revisionOf(profile);
      if (revision === null) return null;
      const known = built.get(profile);
      if (known?.revision === revision) return known;
      const frame = { revision, line: lineOf(profile, revision) };
      // Names come from gateways: only those of the fleet are cached, so memory is bounded.
      if (isInFleet(profile)) built.set(profile, frame);
      if (built.size > newest.profileRevisions.size) {
        for (const name of built.keys()) if (!isInFleet(name)) built.delete(name);
      }
      return frame;
    },
  };
}

/** The part of a hold that a gateway needs for its notice. */
const stateHoldOf = ({ scope, id, holder, reason, since, expires_at }: HoldView): StateHold => ({
  scope,
  id,
  holder,
  reason,
  since,
  expires_at,
});

const sharedHolds = ({ shared }: FleetState): readonly StateHold[] =>
  shared.flatMap(({ holds }) => holds.map(stateHoldOf));

const isHeldByAll = ({ shared }: FleetState): boolean => shared.some(({ engaged }) => engaged);

/** An unchanged scope is the same object. */
const changedForOutsiders = (before: Snapshot, after: Snapshot): boolean =>
  after.fleet.shared.length !== before.fleet.shared.length ||
  after.fleet.shared.some((scope, at) => scope !== before.fleet.shared[at]) ||
  (after.profileRevisions !== before.profileRevisions &&
    (after.profileRevisions.size !== before.profileRevisions.size ||
      [...after.profileRevisions.keys()].some((name) => !before.profileRevisions.has(name))));
