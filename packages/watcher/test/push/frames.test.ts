/**
 * The content of state lines, and how often they are built.
 */
import { decodeFromWatcher, type State } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { frames } from '../../src/push/frames.ts';
import type { FleetState } from '../../src/state/fleet-state.ts';
import { createStore } from '../../src/state/store.ts';
import { fleet, hold, scope } from '../support/states.ts';

function seen(first: FleetState) {
  const store = createStore(first);
  const newest = frames(store.snapshot());
  store.subscribe((snapshot) => void newest.update(snapshot));
  const state = (profile: string): State | null => {
    const frame = newest.frameOf(profile);
    return frame === null ? null : (decodeFromWatcher(frame.line.toString()) as State);
  };
  return { store, newest, state };
}

test('a state line says the whole state of one profile, its own holds before those of all', () => {
  const { state, store } = seen(fleet({ a: [hold('h1')], b: [] }, [hold('h2', { scope: 'root' })]));
  const { epoch } = store.snapshot();
  expect(state('a')).toMatchObject({ epoch, profile: 'a', engaged: true });
  expect(state('a')?.holds.map(({ scope: kind, id }) => [kind, id])).toEqual([
    ['profile', 'h1'],
    ['root', 'h2'],
  ]);
  expect(state('b')?.holds.map(({ id }) => id)).toEqual(['h2']);
});

test('a line is built once, and the same bytes are for everybody', () => {
  const { newest, store } = seen(fleet({ a: [], b: [] }));
  const first = newest.frameOf('a');
  expect(newest.frameOf('a')).toBe(first);
  store.look(fleet({ a: [], b: [hold('h1')] }));
  expect(newest.frameOf('a')).toBe(first);
  store.look(fleet({ a: [hold('h2')], b: [hold('h1')] }));
  expect(newest.frameOf('a')).not.toBe(first);
});

test('a gateway being connected is no new state', () => {
  const { newest, store } = seen(fleet({ a: [] }));
  const before = newest.frameOf('a');
  const outside = newest.frameOf('elsewhere');
  store.record('gateway.connected', 'gateway/g', {});
  store.setGateways([]);
  expect(newest.frameOf('a')).toBe(before);
  expect(newest.revisionOf('elsewhere')).toBe(outside?.revision);
});

test('a profile that is not in the fleet is bound by what binds everybody, and by nothing else', () => {
  const { state, store } = seen(fleet({ a: [hold('h1')] }));
  expect(state('elsewhere')).toMatchObject({ engaged: false, holds: [] });
  store.look(fleet({ a: [hold('h1')] }, [hold('h2', { scope: 'root' })]));
  expect(state('elsewhere')).toMatchObject({ engaged: true, holds: [{ id: 'h2' }] });
});

test('its revision grows when that changes, and when it comes into the fleet and leaves it', () => {
  const { newest, store } = seen(fleet({ a: [] }));
  const revisions = [newest.revisionOf('new')];
  const then = (state: FleetState) => {
    store.look(state);
    revisions.push(newest.revisionOf('new'));
  };
  then(fleet({ a: [] }, [hold('h2', { scope: 'root' })]));
  then(fleet({ a: [], new: [] }, [hold('h2', { scope: 'root' })]));
  then(fleet({ a: [], new: [hold('h3')] }, [hold('h2', { scope: 'root' })]));
  then(fleet({ a: [] }, [hold('h2', { scope: 'root' })]));
  const numbers = revisions.map(Number);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('while the profiles cannot be listed, nothing but a hold of all is said of one we do not know', () => {
  const { state, store } = seen(fleet({ a: [] }));
  store.look({ ...fleet({ a: [] }), unreadable: 'EACCES' });
  expect(state('elsewhere')).toBe(null);
  expect(state('a')).toMatchObject({ engaged: false });
  store.look({ ...fleet({ a: [] }, [hold('h2', { scope: 'root' })]), unreadable: 'EACCES' });
  expect(state('elsewhere')).toMatchObject({ engaged: true });
});

test('a lift that has no number yet is not said under the number of the hold', () => {
  const held: FleetState = { ...fleet({}), shared: [scope(null, hold('h1', { scope: 'root' }))] };
  const { newest, state, store } = seen(held);
  const revision = newest.revisionOf('elsewhere');
  store.look({ ...held, shared: [scope(null)] });
  expect(state('elsewhere')).toBe(null);
  store.record('hold.lifted', 'root', {});
  expect(state('elsewhere')).toMatchObject({ engaged: false });
  expect(newest.revisionOf('elsewhere')).toBeGreaterThan(Number(revision));
});
