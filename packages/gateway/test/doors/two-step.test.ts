/** Claim, then spawn: a pause can begin between the two. */
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GiveBackError, twoStep } from '../../src/index.ts';
import { doorFleet, HOLDS, hold, holdFor, homeOf, liftAll, NO_HOLDS } from './door-fleet.ts';

interface Card {
  state: 'waiting' | 'claimed' | 'running';
  failures: number;
}

function oneCard(between: () => void = () => {}) {
  const card: Card = { state: 'waiting', failures: 0 };
  const calls: string[] = [];
  return {
    card,
    calls,
    door: 'kanban',
    principal: 'ops',
    async claim(): Promise<Card | null> {
      calls.push('claim');
      if (card.state !== 'waiting') return null;
      card.state = 'claimed';
      between();
      return card;
    },
    spawn(claimed: Card) {
      calls.push('spawn');
      claimed.state = 'running';
      return 'worker';
    },
    async giveBack(claimed: Card) {
      calls.push('giveBack');
      claimed.state = 'waiting';
    },
  };
}

test.each(NO_HOLDS)('%s: the card is claimed and spawned', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const steps = oneCard();
  expect(await twoStep(gate, steps)).toEqual({
    did: 'spawned',
    claimed: steps.card,
    spawned: 'worker',
  });
  expect(steps.card.state).toBe('running');
  expect(receipts()).toEqual([]);
});

test.each(HOLDS)('%s: nothing is claimed, and one receipt says so', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const steps = oneCard();
  expect(await twoStep(gate, steps)).toMatchObject({ did: 'refused', refused: { door: 'kanban' } });
  expect(steps.calls).toEqual([]);
  expect(receipts()).toHaveLength(1);
});

test.each(HOLDS)('%s, between claim and spawn: the card is given back', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  const steps = oneCard(() => place(root));
  const step = await twoStep(gate, steps);
  expect(step).toMatchObject({ did: 'given-back', claimed: steps.card });
  expect(steps.calls).toEqual(['claim', 'giveBack']);
  expect(steps.card).toEqual({ state: 'waiting', failures: 0 });
  expect(receipts()).toEqual([expect.objectContaining({ door: 'kanban', principal: 'ops' })]);
});

test('what was given back is started after the lift', async () => {
  const { root, gate } = doorFleet();
  let once = () => void hold(root, 'bad deploy');
  const steps = oneCard(() => once());
  expect((await twoStep(gate, steps)).did).toBe('given-back');
  liftAll(root);
  once = () => {};
  expect((await twoStep(gate, steps)).did).toBe('spawned');
});

test('no work is no refusal', async () => {
  const { gate, receipts } = doorFleet();
  const steps = { ...oneCard(), claim: () => undefined };
  expect(await twoStep(gate, steps)).toEqual({ did: 'nothing' });
  expect(receipts()).toEqual([]);
});

test('whom the hold lets pass is spawned, although it came between', async () => {
  const { root, gate } = doorFleet();
  const steps = oneCard(() => holdFor(homeOf(root, 'a'), ['ops']));
  expect((await twoStep(gate, steps)).did).toBe('spawned');
  const other = { ...oneCard(), principal: 'ci' };
  expect((await twoStep(gate, other)).did).toBe('refused');
});

test('work that could not be given back is an error, which says whose and why', async () => {
  const { root, gate } = doorFleet();
  const cause = new Error('the board is away');
  const steps = {
    ...oneCard(() => void hold(root, 'bad deploy')),
    giveBack() {
      throw cause;
    },
  };
  const error = await twoStep(gate, steps).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GiveBackError);
  expect(error).toMatchObject({
    code: 'GIVE_BACK_FAILED',
    claimed: steps.card,
    refused: { profile: 'a', holds: [{ reason: 'bad deploy' }] },
    cause,
  });
});

test('what `claim` and `spawn` throw comes through, and undoes nothing by itself', async () => {
  const { gate } = doorFleet();
  const claimed = new Error('no database');
  const noClaim = { ...oneCard(), claim: () => Promise.reject(claimed) };
  await expect(twoStep(gate, noClaim)).rejects.toBe(claimed);

  const started = new Error('no such program');
  const noSpawn = {
    ...oneCard(),
    spawn() {
      throw started;
    },
  };
  await expect(twoStep(gate, noSpawn)).rejects.toBe(started);
  expect(noSpawn.calls).toEqual(['claim']);
});

test('the second question is asked of the disk, and not of what was known', async () => {
  const { root, gate } = doorFleet();
  const aside = `${root}/aside`;
  hold(root, 'bad deploy');
  renameSync(`${root}/ESTOP`, aside);
  // In the same turn of the event loop, so no file system notification can have arrived.
  const steps = oneCard(() => renameSync(aside, `${root}/ESTOP`));
  expect((await twoStep(gate, steps)).did).toBe('given-back');
});
