/**
 * Why a hold is gone, and that nobody waits longer than the grace period.
 */
import { expect, test } from 'vitest';
import { departures } from '../../src/state/departures.ts';
import type { JournalLine } from '../../src/state/journal-line.ts';
import { hold, scope } from '../support/states.ts';

const NOW = 1_000_000;
const gone = (id: string) => ({ scope: scope('a'), hold: hold(id) });
const line = (event: string, id: string, dir = '/f/profiles/a'): JournalLine => ({
  at: '2026-11-29T17:00:00.000+00:00',
  event,
  scope: dir,
  holdIds: [id],
  actor: { user: 'someone', via: 'fleet resume' },
});
const nothingStands = () => false;

function begun(...ids: readonly string[]) {
  const departing = departures({ graceMs: 500 });
  departing.add(ids.map(gone), NOW);
  const settle = (nowMs: number, blind: string | null = null) =>
    departing.settle(nowMs, nothingStands, blind);
  return { departing, settle };
}

test('a line of the journal tells who lifted it', () => {
  const { departing, settle } = begun('h1');
  expect(settle(NOW)).toEqual([]);
  departing.addJournalLines([line('lift', 'h1')]);
  expect(settle(NOW + 1)).toMatchObject([
    { type: 'hold.lifted', subject: 'profile/a', data: { actor: { user: 'someone' } } },
  ]);
  expect(departing.pending).toBe(0);
});

test('a line that was read before the disk was looked at explains all the same', () => {
  const { departing, settle } = begun();
  departing.addJournalLines([line('lift', 'h1')]);
  departing.add([gone('h1')], NOW);
  expect(settle(NOW)).toMatchObject([{ type: 'hold.lifted' }]);
});

test('without a line, and not before the grace is over, it was cleared externally', () => {
  const { departing, settle } = begun('h1');
  expect(departing.dueMs()).toBe(NOW + 500);
  expect(settle(NOW + 499)).toEqual([]);
  expect(settle(NOW + 500)).toMatchObject([
    { type: 'hold.cleared-externally', data: { journal: 'no line' } },
  ]);
  expect(departing.dueMs()).toBeNull();
  expect(settle(NOW + 501)).toEqual([]);
});

test('a journal that cannot be read is said along: a lift would look the same', () => {
  const { settle } = begun('h1');
  expect(settle(NOW + 500, 'EACCES')).toMatchObject([
    { type: 'hold.cleared-externally', data: { journal: 'unreadable: EACCES' } },
  ]);
});

test('a hold that stands again has not departed', () => {
  const departing = departures();
  departing.add([gone('h1')], NOW);
  expect(departing.settle(NOW + 10_000, (_dir, id) => id === 'h1', null)).toEqual([]);
  expect(departing.pending).toBe(0);
});

test('a hold that another host retired has expired', () => {
  const { departing, settle } = begun('h1');
  departing.addJournalLines([line('retire', 'h1')]);
  expect(settle(NOW)).toMatchObject([{ type: 'hold.expired' }]);
});

test('an arm explains no departure, and neither does the lift of another hold', () => {
  const { departing, settle } = begun('h1');
  departing.addJournalLines([line('arm', 'h1'), line('lift', 'h2')]);
  expect(settle(NOW + 500)).toMatchObject([{ type: 'hold.cleared-externally' }]);
});

test('an anonymous hold is known by its folder too, since an inode says nothing elsewhere', () => {
  const { departing, settle } = begun('anon-7');
  departing.addJournalLines([line('lift', 'anon-7', '/f/profiles/b')]);
  expect(settle(NOW)).toEqual([]);
  departing.addJournalLines([line('lift', 'anon-7')]);
  expect(settle(NOW)).toMatchObject([{ type: 'hold.lifted' }]);
});

test('a clock that was set back makes nobody wait', () => {
  const { settle } = begun('h1');
  expect(settle(NOW - 3_600_000)).toMatchObject([{ type: 'hold.cleared-externally' }]);
});

test('what is remembered of the journal is bounded, and the oldest goes first', () => {
  const { departing, settle } = begun();
  departing.addJournalLines(Array.from({ length: 6_000 }, (_, at) => line('lift', `h${at}`)));
  departing.add([gone('h0'), gone('h5999')], NOW);
  expect(settle(NOW).map(({ type, data }) => [type, (data['hold'] as { id: string }).id])).toEqual([
    ['hold.lifted', 'h5999'],
  ]);
});
