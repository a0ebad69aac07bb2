/**
 * Which state has to be acknowledged, of which profiles: decided from the disk and from documents of
 * a watcher that may be behind it.
 */
import { rmSync } from 'node:fs';
import { arm, lift, type Scope } from '@fleet-estop/sentinel-core';
import { describe, expect, it } from 'vitest';
import { openSession, type Session } from '../../src/fleet/session.ts';
import { readScope } from '../../src/fleet/state.ts';
import { targetsOf } from '../../src/fleet/targets.ts';
import type { Pausing } from '../../src/pausing/pause-scope.ts';
import { pauseGoal } from '../../src/verbs/pause/goal.ts';
import { resumeGoal } from '../../src/verbs/resume/goal.ts';
import type { Resuming } from '../../src/verbs/resume/resume-scope.ts';
import { parseState, type WatcherState } from '../../src/watcher-client/state.ts';
import { type Fleet, makeFleet } from '../support/fleet.ts';
import { stateText } from '../support/said-watcher.ts';

const sessionOf = ({ root }: Fleet, ...profile: readonly string[]): Session =>
  openSession({ root, ...(profile.length === 0 ? {} : { profile }) }, Date.now());

function paused(session: Session, covers: readonly string[]): Pausing[] {
  const { disk } = session;
  const read = (scope: Scope) => readScope(disk, scope);
  return targetsOf(session).map((target) => {
    const before = read(target.scope);
    const result = arm(disk, target.scope.dir, {});
    const after = target.chain.map(read);
    return { target, beganMs: Date.now(), before, result, alreadyHeld: false, after, covers };
  });
}

function resumed(session: Session): Resuming[] {
  const { disk } = session;
  return targetsOf(session).map((target) => {
    const asked = { everyone: true } as const;
    const result = lift(disk, target.scope.dir, asked);
    const after = target.chain.map((scope) => readScope(disk, scope));
    return {
      target,
      asked,
      beganMs: Date.now(),
      result,
      retired: null,
      left: null,
      unchosen: [],
      after,
    };
  });
}

const idOf = ([pausing]: readonly Pausing[]): string => {
  if (pausing === undefined || 'unexpectedError' in pausing.result || !pausing.result.armed) {
    throw new Error('it was not armed');
  }
  return pausing.result.id;
};

interface Lane {
  readonly name: string;
  readonly revision: number;
  readonly ids?: readonly string[];
}

function stateOf(
  lanes: readonly Lane[],
  rootIds: readonly string[] = [],
  epoch = 'e1',
): WatcherState {
  const scope = (kind: string, ids: readonly string[]) => ({
    kind,
    generation: null,
    holds: ids.map((id) => ({ id })),
  });
  const profiles = lanes.map(({ name, revision, ids = [] }) => ({
    name,
    revision,
    engaged: ids.length + rootIds.length > 0,
    own: scope('profile', ids),
  }));
  const parsed = parseState(stateText({ epoch, profiles, scopes: [scope('root', rootIds)] }));
  if (parsed === null) throw new Error('the document of this test is not one');
  return parsed;
}

describe('of a pause', () => {
  it('nothing counts before the watcher shows the hold, and then a state that shows it', () => {
    const fleet = makeFleet('a');
    const session = sessionOf(fleet);
    const pausings = paused(session, ['a']);
    const goal = pauseGoal(session, pausings);
    const id = idOf(pausings);
    expect(goal.shown(stateOf([{ name: 'a', revision: 7 }]), 'a')).toBeNull();
    expect(goal.shown(stateOf([{ name: 'a', revision: 7 }], ['other']), 'a')).toBeNull();
    expect(goal.shown(stateOf([{ name: 'a', revision: 8 }], [id]), 'a')).toBe(`root hold ${id}`);
  });

  it('the first that shows it stays the same, whatever comes beside it', () => {
    const fleet = makeFleet('a');
    const session = sessionOf(fleet);
    const pausings = paused(session, ['a']);
    const goal = pauseGoal(session, pausings);
    const id = idOf(pausings);
    const first = goal.shown(stateOf([{ name: 'a', revision: 8 }], [id]), 'a');
    const busier = [{ name: 'a', revision: 12, ids: ['sre'] }];
    expect(goal.shown(stateOf(busier, [id]), 'a')).toBe(first);
  });

  it('what somebody made of it has to be shown itself', () => {
    const fleet = makeFleet('a');
    const session = sessionOf(fleet);
    const pausings = paused(session, ['a']);
    const goal = pauseGoal(session, pausings);
    const old = stateOf([{ name: 'a', revision: 8 }], [idOf(pausings)]);
    expect(goal.shown(old, 'a')).toBe(`root hold ${idOf(pausings)}`);
    const id = idOf(paused(session, ['a']));
    expect(goal.look()).toEqual([]);
    expect(goal.shown(old, 'a')).toBeNull();
    expect(goal.shown(stateOf([{ name: 'a', revision: 9 }], [id]), 'a')).toBe(`root hold ${id}`);
  });

  it('of the root it means each profile that is there, listed or known to the watcher', () => {
    const fleet = makeFleet('a', 'b');
    const session = sessionOf(fleet);
    const goal = pauseGoal(session, paused(session, ['a', 'b']));
    const lanes = ['a', 'new', 'default'].map((name) => ({ name, revision: 1 }));
    expect(goal.profilesOf(stateOf(lanes))).toEqual(['a', 'new', 'default', 'b']);
    rmSync(fleet.folder('b'), { recursive: true });
    expect(goal.profilesOf(stateOf(lanes))).toEqual(['a', 'new', 'default']);
  });

  it('of a profile it means that one, and those that share its folder', () => {
    const fleet = makeFleet('a', 'b');
    const session = sessionOf(fleet, 'a');
    const pausings = paused(session, ['a', 'alias']);
    const goal = pauseGoal(session, pausings);
    const id = idOf(pausings);
    const lanes = ['a', 'alias', 'b'].map((name) => ({ name, revision: 4, ids: [id] }));
    expect(goal.profilesOf(stateOf(lanes))).toEqual(['a', 'alias']);
    expect(goal.shown(stateOf(lanes), 'alias')).toBe(`profile hold ${id}`);
    // A hold of the same name in the root is another one.
    expect(goal.shown(stateOf([{ name: 'a', revision: 5 }], [id]), 'a')).toBeNull();
  });
});

describe('of a resume', () => {
  const goalOf = (fleet: Fleet, ...profiles: readonly string[]) => {
    const session = sessionOf(fleet, ...profiles);
    return resumeGoal(session, resumed(session), []);
  };

  it('nothing counts while the watcher still shows a hold, and then only its newest revision', () => {
    const fleet = makeFleet('a');
    fleet.run(['pause']);
    const goal = goalOf(fleet);
    expect(goal.shown(stateOf([{ name: 'a', revision: 7 }], ['h']), 'a')).toBeNull();
    expect(goal.shown(stateOf([{ name: 'a', revision: 8 }]), 'a')).toBe('8');
    expect(goal.shown(stateOf([{ name: 'a', revision: 11 }]), 'a')).toBe('11');
  });

  it('of the root it means each profile without a hold of its own', () => {
    const fleet = makeFleet('a', 'b');
    const goal = goalOf(fleet);
    fleet.run(['pause', '-p', 'b']);
    const lanes = ['a', 'b', 'default', 'NOT-A-LANE'].map((name) => ({ name, revision: 1 }));
    expect(goal.profilesOf(stateOf(lanes))).toEqual(['a', 'b', 'default']);
    // It was free when it was resumed.
    expect(goal.look()).toEqual(['b is held again']);
    fleet.run(['pause']);
    expect(goal.look()).toEqual(['the whole fleet is held again']);
  });

  it('a hold on the root is one on a profile that was resumed alone', () => {
    const fleet = makeFleet('a');
    const goal = goalOf(fleet, 'a');
    expect(goal.look()).toEqual([]);
    fleet.run(['pause']);
    expect(goal.look()).toEqual(['a is held again']);
  });
});
