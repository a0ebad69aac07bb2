/**
 * A hold that is gone again before `pause` has answered. Too short a moment to be hit from outside, so
 * the answer is made of what stood on a real disk before and after.
 */
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { expect, it } from 'vitest';
import type { Session } from '../../src/fleet/session.ts';
import { readScope } from '../../src/fleet/state.ts';
import { pauseNotices } from '../../src/pausing/notices.ts';
import { exitOfPause, type Pausing } from '../../src/pausing/pause-scope.ts';
import { pauseLines } from '../../src/pausing/text.ts';
import { pauseDocument } from '../../src/verbs/pause/document.ts';
import { makeFleet } from '../support/fleet.ts';

const disk = nodeDisk();
const PLAIN = { paint: (_color: string, text: string) => text } as Parameters<typeof pauseLines>[1];

function pausing(happens: (root: string) => void) {
  const { root } = makeFleet('lane-a');
  const scope = { kind: 'root', dir: root } as const;
  const target = { profile: null, scope, chain: [scope] };
  const before = readScope(disk, scope);
  const result = arm(disk, root, { reason: 'mine' });
  happens(root);
  const after = [readScope(disk, scope)];
  const covers = ['lane-a'];
  const one: Pausing = { target, beganMs: 0, result, alreadyHeld: false, before, after, covers };
  const session = {
    root: { root, source: '--root' },
    selection: { profiles: null, missing: [], listing: { profiles: [], rejected: [] } },
    disk,
    nowMs: Date.now(),
  } as unknown as Session;
  const facts = {
    session,
    pausings: [one],
    deadline: {},
    operation: null,
  } as unknown as Parameters<typeof pauseLines>[0];
  return {
    code: exitOfPause([one]),
    said: pauseLines(facts, PLAIN).join('\n'),
    noticed: pauseNotices(facts).join('\n'),
    json: JSON.stringify(pauseDocument(facts, {})),
  };
}

it('a hold that stands is a pause', () => {
  const { code, said, json } = pausing(() => {});
  expect(code).toBe(0);
  expect(said).toContain('PAUSED the whole fleet');
  expect(json).toContain('"engaged":true');
});

it('a hold that is gone by then is no pause, and nothing says that it is one', () => {
  const { code, said, noticed, json } = pausing((root) => lift(disk, root, { everyone: true }));
  expect(code).toBe(1);
  expect(said).not.toContain('PAUSED');
  expect(noticed).toContain('NOT paused by you any more');
  expect(json).toContain('"engaged":false,"why":"overtaken"');
});

it('and where somebody else holds the scope by then, that is said, and is not yours', () => {
  const { code, said, noticed, json } = pausing((root) => {
    arm(disk, root, { holder: 'somebody-else', reason: 'theirs' });
    lift(disk, root, { holder: 'operator' });
  });
  expect(code).toBe(1);
  expect(said).not.toContain('PAUSED');
  expect(noticed).toContain('is still held by somebody-else');
  expect(json).toContain('"engaged":true,"why":"overtaken"');
});
