/**
 * The goal of `pause --wait`: the holds that were just placed are acknowledged in every profile that they bind.
 */
import type { Hold } from '@fleet-estop/sentinel-core';
import { scopeName } from '../../fleet/hold-text.ts';
import type { Session } from '../../fleet/session.ts';
import { readScope } from '../../fleet/state.ts';
import type { Pausing } from '../../pausing/pause-scope.ts';
import { type Goal, isThere } from '../../watcher-client/goal.ts';
import { holdKey } from '../../watcher-client/state.ts';

interface AwaitedHold {
  readonly pausing: Pausing;
  readonly hold: Hold;
  /** Ids of the other holds that were there from the beginning. They cannot be successors of this hold. */
  readonly beside: ReadonlySet<string>;
  /** Keys that the watcher must show: this hold, or its successors. */
  wanted: readonly string[];
}

/** `pausings`: every one of them placed a hold. */
export function pauseGoal(session: Session, pausings: readonly Pausing[]): Goal {
  const awaited = pausings.flatMap(awaitedHoldsOf);
  const meansAll = pausings.some(({ target }) => target.profile === null);
  const listed = new Set(pausings.flatMap(({ covers }) => covers ?? []));

  const bindingOn = (profile: string): AwaitedHold[] =>
    awaited.filter(
      ({ pausing: { target, covers } }) => target.profile === null || covers?.includes(profile),
    );

  return {
    meansAll,
    look: () => awaited.flatMap((one) => lookAt(session, one) ?? []),
    profilesOf(state) {
      if (!meansAll) return [...listed];
      const known = [...state.profiles.keys()];
      const others = [...listed].filter((name) => !state.profiles.has(name));
      // A profile that was removed meanwhile cannot be acknowledged.
      return [...known, ...others.filter((name) => isThere(session.root.root, name))];
    },
    shown({ profiles, shared }, profile) {
      const watched = profiles.get(profile);
      if (watched === undefined) return null;
      const wanted = bindingOn(profile).flatMap((one) => one.wanted);
      const isShown = wanted.every((key) => watched.own.includes(key) || shared.includes(key));
      return isShown ? wanted.join('\n') : null;
    },
    beganMs: (profile) =>
      Math.max(...bindingOn(profile).map(({ pausing: { beganMs } }) => beganMs)),
  };
}

function awaitedHoldsOf(pausing: Pausing): AwaitedHold[] {
  const { result, target } = pausing;
  if ('unexpectedError' in result || !result.armed) return [];
  const { hold, holds } = result;
  const beside = new Set(holds.map(({ id }) => id).filter((id) => id !== hold.id));
  return [{ pausing, hold, beside, wanted: [holdKey(target.scope.kind, hold.id)] }];
}

/** null: the hold or a successor is there; otherwise a sentence that says how it ended. */
function lookAt({ disk }: Session, awaited: AwaitedHold): string | null {
  const { pausing, hold, beside } = awaited;
  const { scope } = pausing.target;
  const { check } = readScope(disk, scope);
  const name = scope.kind === 'root' ? 'the whole fleet' : scopeName(scope);
  const present = check.engaged ? check.holds : [];
  const successors = present.some(({ id }) => id === hold.id)
    ? [hold]
    : present.filter((other) => !beside.has(other.id) && succeeds(hold, other));
  if (successors.length > 0) {
    awaited.wanted = successors.map(({ id }) => holdKey(scope.kind, id));
    return null;
  }
  const isOver = hold.expiresAtMs !== null && hold.expiresAtMs <= Date.now();
  const how = isOver ? 'its deadline has passed' : 'somebody else lifted it';
  const others = check.engaged ? '; others still hold it' : '';
  return `your hold on ${name} is gone: ${how}${others}`;
}

/**
 * Whether `other` succeeds `hold`: a newer hold of the same holder, or what an older tool or an edit left
 * of it.
 */
const succeeds = (hold: Hold, other: Hold): boolean =>
  other.holder === hold.holder || other.holder === null || other.unreadable !== undefined;
