/** Work in hand at a gate: its address, its limit, and its progress. */
import { readRegister } from '@fleet-estop/ledger';
import { expect, test } from 'vitest';
import { homeOf, makeRoot } from '../support/fleets.ts';
import { opened } from './opened.ts';

test('work that is begun at a gate says whom to tell and how long it may go without progress', () => {
  const home = homeOf(makeRoot('a'), 'a');
  const nowMs = Date.now();
  const gate = opened(home, { now: () => nowMs });
  const work = gate.begin({ door: 'turn', id: 's1', conversation: 'chat-7', stallMs: 60_000 });
  const after = (ms: number) => readRegister(home, { now: () => nowMs + ms }).work;
  expect(after(60_000)).toMatchObject([{ conversation: 'chat-7', stallMs: 60_000, wedged: false }]);
  expect(after(61_000)).toMatchObject([{ wedged: true }]);
  expect(work?.touch()).toBe(true);
  work?.end();
  expect(work?.touch()).toBe(false);
});

test('only work of a predecessor is adopted', () => {
  const gate = opened(homeOf(makeRoot('a'), 'a'));
  gate.begin({ door: 'turn', id: 's1' });
  expect(gate.adopted({ door: 'turn', id: 's1' })).toBeNull();
});
