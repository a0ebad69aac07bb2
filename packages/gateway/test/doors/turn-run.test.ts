/** A turn in one call: decided, begun, asked again, served and ended. */
import { expect, test } from 'vitest';
import { turnDoor } from '../../src/index.ts';
import { opened, receiptsIn } from '../gate/opened.ts';
import { hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';

const message = (text = 'hello') => ({ conversation: 'chat-1', text, principal: 'u1' });

function fleet() {
  const home = homeOf(makeRoot('a'), 'a');
  const gate = opened(home);
  return { home, gate };
}

test('a message is served as work in hand, which names its conversation, and ends with it', async () => {
  const { gate } = fleet();
  const door = turnDoor(gate, { stallMs: 60_000 });
  const outcome = await door.run(message(), (inHand) => {
    expect(gate.inFlight()).toBe(1);
    expect(inHand?.touch()).toBe(true);
    return 'answer';
  });
  expect(outcome).toEqual({ outcome: 'served', value: 'answer' });
  expect(gate.inFlight()).toBe(0);
});

test('it ends, too, if serving it fails', async () => {
  const { gate } = fleet();
  const serve = () => Promise.reject(new Error('no model'));
  await expect(turnDoor(gate).run(message(), serve)).rejects.toThrow('no model');
  expect(gate.inFlight()).toBe(0);
});

test('a second message of a conversation that is being served finds it busy', async () => {
  const { gate } = fleet();
  const door = turnDoor(gate, { liveWork: ({ text }) => text === 'steer' });
  const outcome = await door.run(message(), async () => [
    await door.run(message('more'), () => 'never'),
    await door.run(message('steer'), (inHand) => inHand),
    await door.run(message('/pause'), (inHand) => inHand),
  ]);
  expect(outcome).toEqual({
    outcome: 'served',
    value: [
      { outcome: 'busy' },
      { outcome: 'served', value: null },
      { outcome: 'served', value: null },
    ],
  });
});

test('while held it is refused, with one notice a conversation, and a control command passes', async () => {
  const { home, gate } = fleet();
  hold(home, 'update');
  const door = turnDoor(gate);
  const never = () => {
    throw new Error('served');
  };
  expect(await door.run(message(), never)).toMatchObject({
    outcome: 'refused',
    notice: expect.stringContaining('update'),
    refused: { profile: 'a' },
  });
  expect(await door.run(message(), never)).toMatchObject({ outcome: 'refused', notice: null });
  expect(receiptsIn(home)).toHaveLength(2);
  expect(await door.run(message('/resume'), () => 'done')).toEqual({
    outcome: 'served',
    value: 'done',
  });
});

test('a pause between the decision and the start gives the work back without a mark', async () => {
  const { home, gate } = fleet();
  // The pause comes exactly when the work is begun.
  const begin: typeof gate.begin = (work) => {
    const inHand = gate.begin(work);
    hold(home, 'now');
    return inHand;
  };
  const door = turnDoor({ ...gate, begin });
  let served = 0;
  const serve = () => {
    served += 1;
  };
  expect(await door.run(message(), serve)).toMatchObject({
    outcome: 'refused',
    notice: expect.stringContaining('now'),
  });
  expect(served).toBe(0);
  expect(gate.inFlight()).toBe(0);
  liftAll(home);
  expect(await turnDoor(gate).run(message(), serve)).toMatchObject({ outcome: 'served' });
});
