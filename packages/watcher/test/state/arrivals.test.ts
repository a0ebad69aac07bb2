import type { HoldView } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { arrivals } from '../../src/state/arrivals.ts';
import type { ScopeState } from '../../src/state/fleet-state.ts';

const at = (dir: string, id: string) => ({
  scope: { dir } as ScopeState,
  hold: { id } as HoldView,
});
const GRACE_MS = 500;
const armed = (scope: string, id: string) => ({
  at: null,
  event: 'arm',
  scope,
  holdIds: [id],
  actor: null,
});

test('a hold that no line of the journal explains is another tool’s, once the line had time to come', () => {
  const arriving = arrivals([], { graceMs: GRACE_MS });
  const [own, foreign] = [at('/f/profiles/a', 'h-1'), at('/f/profiles/a', 'anon-i7')];
  arriving.add([own, foreign], 0);
  arriving.addJournalLines([armed('/f/profiles/a', 'h-1')]);
  expect(arriving.settle(GRACE_MS - 1)).toEqual([]);
  expect(arriving.settle(GRACE_MS)).toEqual([foreign]);
  expect(arriving.dueMs()).toBe(null);
});

test('an inode number names a hold in its own folder only', () => {
  const [here, there] = [at('/f/profiles/a', 'anon-i7'), at('/f/profiles/b', 'anon-i7')];
  const arriving = arrivals([here], { graceMs: GRACE_MS });
  arriving.add([here, there], 0);
  expect(arriving.settle(GRACE_MS)).toEqual([there]);
});

test('an id of a body is the same hold by whatever path the root was reached', () => {
  const arriving = arrivals([], { graceMs: GRACE_MS });
  arriving.add([at('/mnt/fleet', 'h-1')], 0);
  arriving.addJournalLines([armed('/srv/fleet', 'h-1')]);
  expect(arriving.settle(GRACE_MS)).toEqual([]);
});

test('a hold whose end the journal has already gets no beginning behind it, and a copy of it does', () => {
  const arriving = arrivals([], { graceMs: GRACE_MS });
  const [gone, copy] = [at('/f/profiles/a', 'h-1'), at('/f/profiles/b', 'h-2')];
  arriving.add([gone, copy], 0);
  for (const [scope, event, id] of [
    ['/f/profiles/a', 'retire', 'h-1'],
    ['/f/profiles/a', 'lift', 'h-2'],
  ] as const) {
    arriving.addJournalLines([{ ...armed(scope, id), event }]);
  }
  expect(arriving.settle(GRACE_MS)).toEqual([copy]);
});
