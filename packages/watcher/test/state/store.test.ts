/**
 * The store: what a look makes of it, and who is notified.
 */
import { expect, test } from 'vitest';
import { createStore, type Snapshot } from '../../src/state/store.ts';
import { fleet, hold } from '../support/states.ts';

const free = fleet({ a: [], b: [] });
const held = fleet({ a: [hold('h1')], b: [] });

function heard(store: ReturnType<typeof createStore>) {
  const seen: { revision: number; types: string[] }[] = [];
  store.subscribe(({ revision }, events) => {
    seen.push({ revision, types: events.map(({ type }) => type) });
  });
  return seen;
}

const revisionOf = ({ profileRevisions }: Snapshot, name: string) => profileRevisions.get(name);

test('a change raises the revision of what it binds, and of nothing else', () => {
  const store = createStore(free);
  const before = store.snapshot();
  store.look(held);
  const after = store.snapshot();
  expect(after.revision).toBeGreaterThan(before.revision);
  expect(revisionOf(after, 'a')).toBe(after.revision);
  expect(revisionOf(after, 'b')).toBe(revisionOf(before, 'b'));
});

test('a look that sees nothing new raises nothing', () => {
  const store = createStore(held);
  const { revision } = store.snapshot();
  store.look(fleet({ a: [hold('h1')], b: [] }));
  expect(store.snapshot().revision).toBe(revision);
});

test('a hold that is gone is a new state at once, before anybody knows why', () => {
  const store = createStore(fleet({ a: [hold('h1'), hold('h2', { holder: 'deploy' })] }));
  const seen = heard(store);
  const { revision } = store.snapshot();
  const { departed } = store.look(fleet({ a: [hold('h2', { holder: 'deploy' })] }));
  expect(departed.map((departure) => departure.hold.id)).toEqual(['h1']);
  expect(store.snapshot().revision).toBe(revision + 1);
  expect(revisionOf(store.snapshot(), 'a')).toBe(revision + 1);
  expect(seen).toEqual([{ revision: revision + 1, types: [] }]);
});

test('events carry increasing revisions, and the log has them all', () => {
  const store = createStore(free);
  store.look(held);
  store.record('config.rejected', 'config', { path: 'x' });
  store.look(free);
  const revisions = store.log.recent(100).map(({ revision }) => revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  expect(new Set(revisions).size).toBe(revisions.length);
  expect(store.snapshot().revision).toBeGreaterThanOrEqual(revisions.at(-1) ?? 0);
});

test('two runs have two names', () => {
  expect(createStore(free).snapshot().epoch).not.toBe(createStore(free).snapshot().epoch);
});

test('a listener that left hears nothing', () => {
  const store = createStore(free);
  const calls: number[] = [];
  const leave = store.subscribe(({ revision }) => calls.push(revision));
  leave();
  store.look(held);
  expect(calls).toEqual([]);
});

test('gateways are part of the value, and no revision of it', () => {
  const store = createStore(free);
  const { revision } = store.snapshot();
  store.setGateways([]);
  expect(store.snapshot()).toMatchObject({ revision, gateways: [] });
});

test('what an event says of a hold is what may be seen of it', () => {
  const store = createStore(free);
  store.look(held);
  expect(store.log.recent(10).find(({ type }) => type === 'hold.armed')).toMatchObject({
    subject: 'profile/a',
    data: { scope: 'profile', profile: 'a', hold: { id: 'h1', holder: 'operator' } },
  });
});
