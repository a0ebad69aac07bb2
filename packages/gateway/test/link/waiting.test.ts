/** The wait before a reconnect, and the heartbeats while connected. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitMs } from '../../src/link/backoff.ts';
import { heartbeats } from '../../src/link/heartbeats.ts';

test('each wait is at most twice the one before, up to a bound, and never zero', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, dice) => {
      const wait = waitMs(attempt, { firstMs: 200, mostMs: 5_000, random: () => dice });
      expect(wait).toBeGreaterThanOrEqual(100);
      expect(wait).toBeLessThanOrEqual(Math.min(5_000, 200 * 2 ** attempt));
    }),
  );
});

test('gateways that lost their watcher together do not come back together', () => {
  const waits = new Set(
    Array.from({ length: 100 }, (_, at) => waitMs(4, { random: () => at / 100 })),
  );
  expect(waits.size).toBe(100);
});

test('a heartbeat says only what has changed, and is said even when nothing has', () => {
  const said: unknown[] = [];
  const beats = heartbeats();
  const say = (in_flight: number) =>
    beats.send(
      [
        { name: 'a', doors: [], in_flight },
        { name: 'b', doors: [], in_flight: 0 },
      ],
      (it) => {
        said.push(it.profiles.map(({ name, in_flight: n, refused }) => [name, n, refused]));
        return true;
      },
    );
  say(1);
  say(1);
  say(2);
  beats.forget();
  say(2);
  expect(said).toEqual([
    [
      ['a', 1, 0],
      ['b', 0, 0],
    ],
    [],
    [['a', 2, 0]],
    [
      ['a', 2, 0],
      ['b', 0, 0],
    ],
  ]);
});

test('what could not be said is said with the next one', () => {
  const beats = heartbeats();
  const profiles = [{ name: 'a', doors: [], in_flight: 5, refused: 2 }];
  beats.send(profiles, () => false);
  const said: unknown[] = [];
  beats.send(profiles, (it) => said.push(...it.profiles) > 0);
  expect(said).toEqual([{ name: 'a', in_flight: 5, refused: 2 }]);
});

test('a thousand profiles are said in lines that fit', () => {
  const profiles = Array.from({ length: 1_000 }, (_, at) => ({
    name: `${'é'.repeat(250)}${at}`,
    doors: [],
    in_flight: at,
  }));
  const lines: string[] = [];
  heartbeats().send(profiles, (it) => lines.push(JSON.stringify(it)) > 0);
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(65_536);
  expect(lines.join('').match(/"name"/g)).toHaveLength(1_000);
});
