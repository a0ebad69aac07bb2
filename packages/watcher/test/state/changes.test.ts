/**
 * The changes between two looks.
 */
import { expect, test } from 'vitest';
import { changedProfiles, changedScopes, changesBetween } from '../../src/state/changes.ts';
import type { FleetState } from '../../src/state/fleet-state.ts';
import { fleet, hold, unread } from '../support/states.ts';

const NOW = 1_000_000;

const said = (before: FleetState | null, after: FleetState): string[] =>
  changesBetween(before, after, NOW).map((change) => {
    if ('profile' in change) return `${change.type} ${change.profile.name}`;
    const replaced = 'replaced' in change ? ` for ${change.replaced.id}` : '';
    return `${change.type} ${change.hold.id}${replaced}`;
  });

const free = fleet({ a: [] });

test('a first look says what holds and what is paused, and nothing of what runs', () => {
  expect(said(null, fleet({ a: [hold('h1')], b: [] }))).toEqual([
    'hold.armed h1',
    'profile.paused a',
  ]);
});

test('nothing changed, nothing is said', () => {
  expect(said(fleet({ a: [hold('h1')] }), fleet({ a: [hold('h1')] }))).toEqual([]);
});

test('a hold comes and goes', () => {
  const held = fleet({ a: [hold('h1')] });
  expect(said(free, held)).toEqual(['hold.armed h1', 'profile.paused a']);
  expect(said(held, free)).toEqual(['hold.gone h1', 'profile.running a']);
});

test('a holder who arms again has re-armed; another holder beside them has armed', () => {
  const one = fleet({ a: [hold('h1')] });
  expect(said(one, fleet({ a: [hold('h2')] }))).toEqual(['hold.rearmed h2 for h1']);
  const two = fleet({ a: [hold('h1'), hold('h2', { holder: 'deploy' })] });
  expect(said(one, two)).toEqual(['hold.armed h2']);
});

test('two anonymous holds are never one that was re-armed', () => {
  const anonymous = (id: string) => hold(id, { holder: null });
  expect(said(fleet({ a: [anonymous('anon-1')] }), fleet({ a: [anonymous('anon-2')] }))).toEqual([
    'hold.armed anon-2',
    'hold.gone anon-1',
  ]);
});

test('a hold that was edited in place is re-armed, in its own place', () => {
  const before = fleet({ a: [hold('h1')] });
  const after = fleet({ a: [hold('h1', { reason: 'edited' })] });
  expect(said(before, after)).toEqual(['hold.rearmed h1 for h1']);
});

test('a hold that becomes unreadable says so, and once', () => {
  const torn = fleet({ a: [hold('anon-1', { holder: null, unreadable: 'not-json' })] });
  expect(said(free, torn)).toEqual(['hold.unreadable anon-1', 'profile.paused a']);
  expect(said(torn, torn)).toEqual([]);
  expect(said(torn, fleet({ a: [hold('anon-1', { holder: null })] }))).toEqual([
    'hold.armed anon-1',
  ]);
});

test('of a scope that cannot be read no hold departs, and what is read again is no news', () => {
  const held = fleet({ a: [hold('h1')] });
  const lost = unread(held, 'a', [hold('h1')]);
  expect(said(held, lost)).toEqual(['hold.unreadable unknown']);
  expect(said(lost, unread(held, 'a', [hold('h1')]))).toEqual([]);
  expect(said(lost, held)).toEqual([]);
});

test('what is new, or gone, once a scope can be read again is said then', () => {
  const held = fleet({ a: [hold('h1')] });
  const lost = unread(held, 'a', [hold('h1')]);
  const two = fleet({ a: [hold('h1'), hold('h2', { holder: 'deploy' })] });
  expect(said(lost, two)).toEqual(['hold.armed h2']);
  expect(said(lost, free)).toEqual(['hold.gone h1', 'profile.running a']);
  expect(said(unread(free, 'a', []), free)).toEqual(['profile.running a']);
  expect(said(lost, fleet({}))).toEqual(['hold.gone h1', 'profile.removed a']);
  const over = hold('h1', { expires_at_ms: NOW - 1 });
  expect(said(unread(held, 'a', [over]), free)).toEqual(['hold.expired h1', 'profile.running a']);
});

test('a hold that is gone after its deadline has expired; one whose deadline is to come has not', () => {
  const until = (at: number) => fleet({ a: [hold('h1', { expires_at_ms: at })] });
  expect(said(until(NOW), free)).toEqual(['hold.expired h1', 'profile.running a']);
  expect(said(until(NOW + 1), free)).toEqual(['hold.gone h1', 'profile.running a']);
});

test('profiles that come or go before others say nothing of those', () => {
  const before = fleet({ b: [hold('h1')], d: [], e: [hold('h2')] });
  const after = fleet({ a: [], b: [hold('h1')], c: [hold('h3')], e: [] });
  expect(said(before, after)).toEqual([
    'hold.armed h3',
    'hold.gone h2',
    'profile.added a',
    'profile.added c',
    'profile.paused c',
    'profile.running e',
    'profile.removed d',
  ]);
  expect(changedProfiles(before, after).map(({ name }) => name)).toEqual(['a', 'c', 'e']);
  expect(said(after, before)).toContain('profile.added d');
});

test('a new hold of the same holder after the deadline of the old is no re-arm', () => {
  const before = fleet({ a: [hold('h1', { expires_at_ms: NOW - 1 })] });
  expect(said(before, fleet({ a: [hold('h2')] }))).toEqual(['hold.armed h2', 'hold.expired h1']);
});

test('a body that names one hold twice says it once', () => {
  const twice = fleet({ a: [hold('h1'), hold('h1', { reason: 'again' })] });
  expect(said(free, twice)).toEqual(['hold.armed h1', 'profile.paused a']);
  expect(said(twice, twice)).toEqual([]);
  expect(said(twice, fleet({ a: [hold('h1', { reason: 'again' })] }))).toEqual([]);
});

test('a profile that goes takes its holds with it', () => {
  expect(said(fleet({ a: [hold('h1')], b: [] }), fleet({ b: [] }))).toEqual([
    'hold.gone h1',
    'profile.removed a',
  ]);
});

test('a profile that comes while the root is held is added, and paused', () => {
  const rootHeld = [hold('r1')];
  expect(said(fleet({}, rootHeld), fleet({ a: [] }, rootHeld))).toEqual([
    'profile.added a',
    'profile.paused a',
  ]);
});

test('profiles whose binding changed are sent, and no others', () => {
  const before = fleet({ a: [hold('h1')], b: [] });
  const told = (after: FleetState) => changedProfiles(before, after).map(({ name }) => name);
  expect(told(before)).toEqual([]);
  expect(told({ ...before, profiles: [...before.profiles] })).toEqual([]);
  expect(told(fleet({ a: [hold('h1', { reason: 'x' })], b: [] }))).toEqual(['a']);
  expect(told(fleet({ a: [hold('h1')], b: [] }, [hold('r1')]))).toEqual(['a', 'b']);
  expect(told(fleet({ a: [hold('h1')], b: [], c: [] }))).toEqual(['c']);
});

test('a scope is changed where it is not the same object', () => {
  const before = fleet({ a: [], b: [] });
  const [first, second] = before.profiles;
  const after = { ...before, profiles: [first!, { ...second!, own: { ...second!.own! } }] };
  expect(changedScopes(before, after).map(({ profile }) => profile)).toEqual(['b']);
});
