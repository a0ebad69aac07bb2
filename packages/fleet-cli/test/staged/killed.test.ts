/**
 * A staged resume of forty profiles that is killed with -9: whoever has not had a turn is held, and
 * `--continue` brings all of them back.
 */
import { describe, expect, it } from 'vitest';
import { exists, type Fleet, makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';

const LANES = Array.from({ length: 40 }, (_, at) => `lane-${String(at).padStart(2, '0')}`);
const WORDS = ['--step', '14', '--every', '1s'];

const heldLanes = ({ sentinel }: Fleet): string[] => LANES.filter((lane) => exists(sentinel(lane)));

/** Kills it as soon as this is so. */
async function killedOnce(fleet: Fleet, isSo: () => boolean): Promise<void> {
  const live = startFleet(['resume', '--staged', ...WORDS, '--root', fleet.root]);
  while (!isSo()) await new Promise(setImmediate);
  live.signal('SIGKILL');
  await live.ended;
}

/** The first of these that are free have had their turn, and nobody behind them. */
function expectHeldInOrder(fleet: Fleet): void {
  const held = heldLanes(fleet);
  if (exists(fleet.sentinel())) return;
  expect(held).toEqual(LANES.slice(LANES.length - held.length));
}

const WHEN: readonly (readonly [string, (fleet: Fleet) => boolean])[] = [
  ...[0, 1, 2, 13, 27, 39, 40].map(
    (count) =>
      [
        `${count} profiles have a hold of their own`,
        (fleet: Fleet) => heldLanes(fleet).length >= count,
      ] as const,
  ),
  ['the root is lifted', ({ sentinel }) => !exists(sentinel())],
  ...[1, 7, 14, 15, 28, 29, 39].map(
    (count) =>
      [
        `${count} have had their turn`,
        (fleet: Fleet) =>
          !exists(fleet.sentinel()) && heldLanes(fleet).length <= LANES.length - count,
      ] as const,
  ),
];

describe('killed when', () => {
  it.each(WHEN)('%s: nobody is free before the turn, and it goes on', async (_, isSo) => {
    const fleet = makeFleet(...LANES);
    fleet.run(['pause']);
    await killedOnce(fleet, () => isSo(fleet));
    expectHeldInOrder(fleet);
    const { code } = fleet.run(['resume', '--staged', '--continue', ...WORDS]);
    // All may have had their turn between the last look and the kill.
    expect([0, 2]).toContain(code);
    expect({ held: heldLanes(fleet), root: exists(fleet.sentinel()) }).toEqual({
      held: [],
      root: false,
    });
  });
});
