/**
 * Bursts of changes by another process, for every observer. The sweep interval is too long to help:
 * if the last notice were lost, the test would not end.
 */
import { describe, expect, test } from 'vitest';
import { namesOf, stormOf, stormRoot, stormWriter } from '../support/storm.ts';
import { isHeldAfter } from '../support/storm-order.ts';
import { lane, laneFree, laneHeld, reasonIn, watched } from '../support/watched.ts';

const BURSTS = stormOf(1_000, 10_000);
/** Two of these are longer than a tick of any kernel's file clock. */
const POLL_MS = 8;
/** A look takes milliseconds. */
const LOST_MS = 20_000;
const FOLDERS = stormOf(400, 1_000);
const LANES = namesOf('lane-', 20);

describe.each(['native', 'chokidar', 'poll'] as const)(
  'in mode %s',
  { timeout: 240_000 },
  (mode) => {
    test(`of ${BURSTS} bursts of toggles the last state always arrives`, async () => {
      const root = stormRoot(...LANES);
      const toggle = await stormWriter(root, LANES);
      const { until, watch } = watched(root, { mode, intervalMs: POLL_MS });
      for (let round = 0; round < BURSTS / LANES.length; round++) {
        await toggle({ does: 'toggle', round });
        const asLeft = (name: string, at: number) =>
          isHeldAfter(round, at) ? reasonOf(name, String(round)) : laneFree(name);
        const wanted = LANES.map(asLeft);
        await inTime(
          `round ${round}`,
          until((fleet) => wanted.every((fits) => fits(fleet))),
        );
      }
      expect([...watch.health().deaf]).toEqual([]);
    });

    test(`of ${FOLDERS} profile folders that are made with their sentinels at once none is lost`, async () => {
      const names = namesOf('new-', 40);
      const root = stormRoot();
      const order = await stormWriter(root, names);
      const { until } = watched(root, { mode, intervalMs: POLL_MS });
      for (let round = 0; round < FOLDERS / names.length; round++) {
        await order({ does: 'make', round });
        await inTime(
          `round ${round}`,
          until((fleet) => names.every((name) => laneHeld(name)(fleet))),
        );
        await order({ does: 'remove', round });
        await until((fleet) => names.every((name) => lane(fleet, name) === undefined));
      }
    });
  },
);

/** A lost state is said as what it is, and not as a test that took too long. */
async function inTime(what: string, seen: Promise<unknown>): Promise<void> {
  const late = AbortSignal.timeout(LOST_MS);
  const lost = new Promise<never>((_resolve, reject) => {
    late.addEventListener('abort', () => reject(new Error(`${what}: a last state was lost`)));
  });
  await Promise.race([seen, lost]);
}

const reasonOf = (name: string, reason: string) => (fleet: Parameters<typeof reasonIn>[0]) =>
  reasonIn(fleet, name) === reason;
