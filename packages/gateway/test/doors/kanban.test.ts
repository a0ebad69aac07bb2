/** A board: work is gated, housekeeping is not. */
import { describe, expect, test } from 'vitest';
import {
  type Board,
  type BoardTick,
  BoardTickError,
  kanbanDoor,
  type Refused,
} from '../../src/index.ts';
import { doorFleet, HOLDS, hold, liftAll, NO_HOLDS } from './door-fleet.ts';

interface Card {
  readonly id: number;
  state: 'stale' | 'waiting' | 'claimed' | 'running';
}

function board(states: readonly Card['state'][], more: Partial<Board<Card, string>> = {}) {
  const cards: Card[] = states.map((state, id) => ({ id, state }));
  const functions: Board<Card, string> = {
    housekeeping() {
      for (const card of cards) if (card.state === 'stale') card.state = 'waiting';
    },
    claim() {
      const card = cards.find(({ state }) => state === 'waiting');
      if (card !== undefined) card.state = 'claimed';
      return card;
    },
    async spawn(card) {
      card.state = 'running';
      return `worker of ${card.id}`;
    },
    giveBack(card) {
      card.state = 'waiting';
    },
    ...more,
  };
  return { cards, functions, states: () => cards.map(({ state }) => state) };
}

test.each(NO_HOLDS)('%s: every waiting card is started', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const { functions, states, cards } = board(['waiting', 'stale', 'running']);
  expect(await kanbanDoor(gate, functions).tick()).toEqual({
    spawned: [
      { card: cards[0], worker: 'worker of 0' },
      { card: cards[1], worker: 'worker of 1' },
    ],
    givenBack: [],
    held: false,
  });
  expect(states()).toEqual(['running', 'running', 'running']);
  expect(receipts()).toEqual([]);
});

test.each(HOLDS)(
  '%s: no card is touched, and stale ones are reclaimed all the same',
  async (_, place) => {
    const { root, gate, receipts } = doorFleet();
    place(root);
    const { functions, states } = board(['waiting', 'stale', 'running']);
    const door = kanbanDoor(gate, functions);
    for (let tick = 0; tick < 3; tick += 1) {
      expect(await door.tick()).toEqual({ spawned: [], givenBack: [], held: true });
    }
    expect(states()).toEqual(['waiting', 'waiting', 'running']);
    // Polling a board refuses no person.
    expect(receipts()).toEqual([]);
  },
);

test('a pause between claim and spawn gives that card back and leaves the others', async () => {
  const { root, gate, receipts } = doorFleet();
  const { functions, states, cards } = board(['waiting', 'waiting', 'waiting']);
  let comes = true;
  const door = kanbanDoor(gate, {
    ...functions,
    async claim() {
      const card = await functions.claim();
      if (card?.id === 1 && comes) hold(root, 'bad deploy');
      return card;
    },
  });
  expect(await door.tick()).toMatchObject({
    spawned: [{ card: cards[0] }],
    givenBack: [cards[1]],
    held: true,
  });
  expect(states()).toEqual(['running', 'waiting', 'waiting']);
  expect(receipts()).toEqual([expect.objectContaining({ door: 'kanban' })]);
  liftAll(root);
  comes = false;
  await door.tick();
  expect(states()).toEqual(['running', 'running', 'running']);
});

test('a pause while a card is spawned keeps the next one where it is', async () => {
  const { root, gate } = doorFleet();
  const { functions, states } = board(['waiting', 'waiting']);
  const door = kanbanDoor(gate, {
    ...functions,
    async spawn(card) {
      hold(root, 'bad deploy');
      return functions.spawn(card);
    },
  });
  expect(await door.tick()).toMatchObject({ givenBack: [], held: true });
  expect(states()).toEqual(['running', 'waiting']);
});

test('a board may be an object of a class', async () => {
  const { root, gate } = doorFleet();
  const { functions, states } = board(['waiting', 'waiting']);
  class Cards implements Board<Card, string> {
    async claim() {
      const card = await functions.claim();
      if (card?.id === 1) hold(root, 'bad deploy');
      return card;
    }
    spawn(card: Card) {
      return functions.spawn(card);
    }
    giveBack(card: Card, refused: Refused) {
      return functions.giveBack(card, refused);
    }
  }
  const tick = await kanbanDoor(gate, new Cards()).tick();
  expect(tick).toMatchObject({ spawned: [{ worker: 'worker of 0' }], givenBack: [{ id: 1 }] });
  expect(states()).toEqual(['running', 'waiting']);
});

test('no more cards are started in a tick than asked for', async () => {
  const { gate } = doorFleet();
  const { functions, states } = board(['waiting', 'waiting', 'waiting'], { mostPerTick: 2 });
  expect(await kanbanDoor(gate, functions).tick()).toMatchObject({ held: false });
  expect(states()).toEqual(['running', 'running', 'waiting']);
});

test('two ticks at once are one', async () => {
  const { gate } = doorFleet();
  let kept = 0;
  const { functions } = board([], {
    housekeeping() {
      kept += 1;
    },
  });
  const door = kanbanDoor(gate, functions);
  expect(await Promise.all([door.tick(), door.tick()])).toHaveLength(2);
  expect(kept).toBe(1);
  await door.tick();
  expect(kept).toBe(2);
});

test('a board that cannot be kept in order is not dispatched from, and says so', async () => {
  const { gate } = doorFleet();
  const error = new Error('no database');
  const { functions, states } = board(['waiting'], {
    housekeeping() {
      throw error;
    },
  });
  const door = kanbanDoor(gate, functions);
  for (let tick = 0; tick < 2; tick += 1) {
    expect(await failureOf(door.tick())).toMatchObject({
      cause: error,
      soFar: { spawned: [], givenBack: [], held: false },
      leftClaimed: [],
    });
  }
  expect(states()).toEqual(['waiting']);
});

async function failureOf<Card, Worker>(
  tick: Promise<BoardTick<Card, Worker>>,
): Promise<BoardTickError<Card, Worker>> {
  const failure: unknown = await tick.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (failure instanceof BoardTickError) return failure;
  throw failure;
}

describe('a tick that fails midway tells what was spawned before', () => {
  test('and which card it leaves claimed, where its worker cannot be spawned', async () => {
    const { gate } = doorFleet();
    const error = new Error('no more processes');
    const { functions, states, cards } = board(['waiting', 'waiting', 'waiting']);
    const door = kanbanDoor(gate, {
      ...functions,
      spawn(card) {
        if (card.id === 1) throw error;
        return functions.spawn(card);
      },
    });
    const failure = await failureOf(door.tick());
    expect(failure).toMatchObject({
      code: 'BOARD_TICK_FAILED',
      profile: 'a',
      cause: error,
      soFar: {
        spawned: [{ card: cards[0], worker: 'worker of 0' }],
        givenBack: [],
        held: false,
      },
      leftClaimed: [cards[1]],
    });
    expect(failure.message).toContain(error.message);
    expect(states()).toEqual(['running', 'claimed', 'waiting']);
  });

  test('and that no card is left, where the next one cannot be claimed', async () => {
    const { gate } = doorFleet();
    const error = new Error('no database');
    const { functions, cards } = board(['waiting', 'waiting']);
    const door = kanbanDoor(gate, {
      ...functions,
      claim() {
        if (cards[0]?.state === 'running') throw error;
        return functions.claim();
      },
    });
    expect(await failureOf(door.tick())).toMatchObject({
      cause: error,
      soFar: { spawned: [{ card: cards[0] }], givenBack: [], held: false },
      leftClaimed: [],
    });
  });

  test('and the card that a pause refused and that could not be given back', async () => {
    const { root, gate } = doorFleet();
    const error = new Error('no database');
    const { functions, states, cards } = board(['waiting', 'waiting', 'waiting']);
    const door = kanbanDoor(gate, {
      ...functions,
      async claim() {
        const card = await functions.claim();
        if (card?.id === 1) hold(root, 'bad deploy');
        return card;
      },
      giveBack() {
        throw error;
      },
    });
    expect(await failureOf(door.tick())).toMatchObject({
      cause: { code: 'GIVE_BACK_FAILED', cause: error },
      soFar: { spawned: [{ card: cards[0] }], givenBack: [], held: true },
      leftClaimed: [cards[1]],
    });
    expect(states()).toEqual(['running', 'claimed', 'waiting']);
  });

  test('to everybody who waits for it, and the next tick goes on from there', async () => {
    const { gate } = doorFleet();
    const { functions, states } = board(['waiting', 'waiting', 'waiting']);
    let fails = true;
    const door = kanbanDoor(gate, {
      ...functions,
      spawn(card) {
        if (card.id === 1 && fails) throw new Error('no more processes');
        return functions.spawn(card);
      },
    });
    const [one, other] = await Promise.all([failureOf(door.tick()), failureOf(door.tick())]);
    expect(one).toBe(other);
    fails = false;
    expect(await door.tick()).toMatchObject({ spawned: [{ card: { id: 2 } }], held: false });
    expect(states()).toEqual(['running', 'claimed', 'running']);
  });

  test('be it no error that was thrown', async () => {
    const { gate } = doorFleet();
    const { functions, cards } = board(['waiting']);
    const thrown: unknown = Object.create(null);
    const door = kanbanDoor(gate, { ...functions, spawn: () => Promise.reject(thrown) });
    const failure = await failureOf(door.tick());
    expect(failure.cause).toBe(thrown);
    expect(failure.leftClaimed).toEqual([cards[0]]);
  });
});

test('a board of a gate with several profiles must say whose it is', () => {
  const { gate } = doorFleet(['a', 'b']);
  const { functions } = board([]);
  expect(() => kanbanDoor(gate, functions)).toThrow(
    expect.objectContaining({ code: 'PROFILE_UNKNOWN' }),
  );
  expect(() => kanbanDoor(gate, { ...functions, profile: 'c' })).toThrow(
    expect.objectContaining({ code: 'PROFILE_UNKNOWN' }),
  );
  expect(() => kanbanDoor(gate, { ...functions, profile: 'b' })).not.toThrow();
});
