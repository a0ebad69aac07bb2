/** Which pushed states may be acknowledged, given the state on disk. */
import type { Hold, ScopeState } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import type { ProfileState } from '../../src/link/profile-state.ts';
import { isInForce } from '../../src/link/profile-state.ts';
import { stateOf } from '../support/scripted-watcher.ts';

const holdOf = (id: string, unreadable?: string): Hold => ({
  id,
  holder: 'operator',
  reason: null,
  engagedAt: null,
  expiresAt: null,
  expiresAtMs: null,
  allow: null,
  actor: null,
  raw: {},
  ...(unreadable === undefined ? {} : { unreadable }),
});

const scope = (kind: 'profile' | 'root', ...holds: readonly Hold[]): ScopeState => ({
  scope: { kind, dir: `/f/${kind}` },
  check:
    holds.length === 0
      ? { engaged: false, expired: false }
      : { engaged: true, holds, topAllow: null, generation: null },
});

const profileState = (...scopes: readonly ScopeState[]): ProfileState => ({
  profile: 'a',
  engaged: scopes.some(({ check }) => check.engaged),
  scopes,
});

const free = profileState(scope('profile'), scope('root'));
const own = profileState(scope('profile', holdOf('h1')), scope('root'));
const both = profileState(scope('profile', holdOf('h1')), scope('root', holdOf('h2')));
const unreadable = profileState(scope('profile', holdOf('unknown', 'EACCES')), scope('root'));

const two = [{ id: 'h1' }, { id: 'h2', scope: 'root' }] as const;
const unlisted = { ...stateOf('a', 1), engaged: true };

const YES = 'acknowledged';
const NO = 'not acknowledged';

test.each([
  ['free, where nothing holds', YES, stateOf('a', 1), free],
  ['free, where something holds', NO, stateOf('a', 1), own],
  ['held, where nothing holds', NO, stateOf('a', 1, { id: 'h1' }), free],
  ['held by what holds here', YES, stateOf('a', 1, { id: 'h1' }), own],
  ['held by one of two that hold here', YES, stateOf('a', 1, { id: 'h1' }), both],
  ['held by both that hold here', YES, stateOf('a', 1, ...two), both],
  ['held by two of which one holds here', NO, stateOf('a', 1, ...two), own],
  ['held by another than holds here', NO, stateOf('a', 1, { id: 'h9' }), own],
  ['held in another scope than here', NO, stateOf('a', 1, { id: 'h1', scope: 'root' }), own],
  ['held, where what holds cannot be read', YES, stateOf('a', 1, { id: 'h9' }), unreadable],
  ['held, without a list, where something holds', YES, unlisted, own],
  ['held, without a list, where nothing holds', NO, unlisted, free],
])('a state that is %s is %s', (_what, word, pushed, here) => {
  expect(isInForce(pushed, here)).toBe(word === YES);
});
