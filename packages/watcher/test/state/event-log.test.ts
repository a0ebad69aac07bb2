/**
 * What the event log still contains, and that it reports what it no longer has.
 */
import { expect, test } from 'vitest';
import { eventLog, type FleetEvent } from '../../src/state/event-log.ts';

const event = (revision: number): FleetEvent => ({
  revision,
  type: 'hold.armed',
  time: '2026-11-29T17:00:00.000+00:00',
  subject: 'root',
  data: {},
});

function filled(capacity: number, count: number) {
  const log = eventLog(capacity);
  for (let revision = 1; revision <= count; revision++) log.append(event(revision));
  return log;
}

const revisions = (events: readonly FleetEvent[] | 'gap') =>
  events === 'gap' ? 'gap' : events.map(({ revision }) => revision);

test('whoever has seen a revision gets those after it', () => {
  const log = filled(10, 5);
  expect(revisions(log.after(0))).toEqual([1, 2, 3, 4, 5]);
  expect(revisions(log.after(3))).toEqual([4, 5]);
  expect(revisions(log.after(5))).toEqual([]);
  expect(revisions(log.after(99))).toEqual([]);
});

test('numbers may be left out', () => {
  const log = eventLog(10);
  for (const revision of [2, 5, 9]) log.append(event(revision));
  expect(revisions(log.after(3))).toEqual([5, 9]);
});

test('a reader that is too far behind gets a gap, and never half of the events', () => {
  const log = filled(4, 8);
  expect(revisions(log.after(3))).toBe('gap');
  expect(revisions(log.after(4))).toEqual([5, 6, 7, 8]);
});

test('it never keeps twice its capacity', () => {
  for (let count = 0; count < 40; count++) {
    const kept = filled(4, count).recent(1_000).length;
    expect(kept).toBeLessThan(8);
    expect(kept).toBeGreaterThanOrEqual(Math.min(count, 4));
  }
});

test('long texts push out older events, and a reader that is behind gets a gap', () => {
  const log = eventLog(1_000, 10_000);
  const long = 'x'.repeat(1_000);
  for (let revision = 1; revision <= 100; revision++) {
    log.append({ ...event(revision), data: { long } });
    const kept = log.recent(1_000);
    expect(kept.length).toBeLessThan(20);
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(revision, 9));
    expect(kept.at(-1)?.revision).toBe(revision);
  }
  expect(revisions(log.after(50))).toBe('gap');
  expect(revisions(log.after(98))).toEqual([99, 100]);
});

test('an event that is too long by itself is kept all the same, as the only one', () => {
  const log = eventLog(10, 100);
  for (const revision of [1, 2, 3]) {
    log.append({ ...event(revision), data: { long: 'x'.repeat(1_000) } });
  }
  expect(revisions(log.recent(10))).toEqual([3]);
  expect(revisions(log.after(2))).toEqual([3]);
  expect(revisions(log.after(1))).toBe('gap');
});

test('an event keeps nothing alive of what it was read from', () => {
  const log = eventLog();
  const data = { hold: { reason: 'r' } };
  log.append({ ...event(1), data });
  expect(log.recent(1)[0]?.data).toEqual(data);
  expect(log.recent(1)[0]?.data).not.toBe(data);
});

test('the most recent are the last ones, in their order', () => {
  const log = filled(10, 5);
  expect(revisions(log.recent(2))).toEqual([4, 5]);
  expect(revisions(log.recent(0))).toEqual([]);
  expect(revisions(log.recent(99))).toEqual([1, 2, 3, 4, 5]);
});
