/** What the log still knows, and that it says where it does not. */
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

test('whoever is too far behind is told that there is a gap, and never gets half of it', () => {
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

test('the most recent are the last ones, in their order', () => {
  const log = filled(10, 5);
  expect(revisions(log.recent(2))).toEqual([4, 5]);
  expect(revisions(log.recent(0))).toEqual([]);
  expect(revisions(log.recent(99))).toEqual([1, 2, 3, 4, 5]);
});
