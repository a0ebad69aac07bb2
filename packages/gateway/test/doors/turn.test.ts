/** The turn door: what passes while held, whom it refuses, and how often it shows the notice. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type TurnMessage, type TurnOptions, turnDoor } from '../../src/index.ts';
import { doorFleet, HOLDS, hold, holdFor, homeOf, inMs, liftAll, NO_HOLDS } from './door-fleet.ts';

const hello = (conversation = 'c1', principal = 'ops'): TurnMessage => ({
  conversation,
  principal,
  text: 'please write the report',
});

const refused = (notice: unknown = expect.any(String)) => ({ serve: false, notice });

test.each(NO_HOLDS)('%s: a message is served, and no rule is asked', (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const asked = () => {
    throw new Error('asked');
  };
  const mistakes: unknown[] = [];
  const door = turnDoor(gate, {
    isControl: asked,
    liveWork: asked,
    onMistake: (error) => void mistakes.push(error),
  });
  expect(door.decide(hello())).toEqual({ serve: true, because: 'admitted' });
  expect([mistakes, receipts()]).toEqual([[], []]);
});

test.each(HOLDS)('%s: a message is refused with the notice, and leaves one receipt', (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const decision = turnDoor(gate).decide(hello());
  expect(decision).toMatchObject({
    serve: false,
    notice: expect.stringMatching(/^New work on a is paused/),
    refused: { profile: 'a', door: 'turn' },
  });
  expect(receipts()).toEqual([expect.objectContaining({ door: 'turn', principal: 'ops' })]);
});

test('a principal whom the hold lets pass is served while everybody else is refused', () => {
  const { root, gate } = doorFleet();
  holdFor(root, ['ops']);
  const door = turnDoor(gate);
  expect(door.decide(hello('c1', 'ops'))).toEqual({ serve: true, because: 'admitted' });
  for (const other of ['ci', 'Ops', 'ops ', '']) {
    expect(door.decide(hello('c1', other)).serve).toBe(false);
  }
  expect(door.decide({ conversation: 'c1', text: 'hello' }).serve).toBe(false);
  expect(door.decide({ ...hello(), principal: null }).serve).toBe(false);
});

describe('what passes while held', () => {
  const RULES = [
    ['isControl', 'control'],
    ['liveWork', 'live-work'],
    ['pendingApproval', 'pending-approval'],
    ['pendingConfirmation', 'pending-confirmation'],
  ] as const;

  test.each(RULES)('`%s` that answers true', (rule, because) => {
    const { root, gate, receipts } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate, { [rule]: ({ text }: TurnMessage) => text === 'yes' });
    expect(door.decide({ ...hello(), text: 'yes' })).toEqual({ serve: true, because });
    expect(door.decide({ ...hello(), text: 'no' })).toMatchObject(refused());
    expect(receipts()).toHaveLength(1);
  });

  const NOT_TRUE: readonly (readonly [string, () => unknown])[] = [
    ['false', () => false],
    ['undefined', () => undefined],
    ['1', () => 1],
    ["'yes'", () => 'yes'],
    ['an object', () => ({})],
    ['a promise of true', () => Promise.resolve(true)],
    ['a promise that fails', () => Promise.reject(new Error('late'))],
    [
      'something that is thrown',
      () => {
        throw new Error('the register is away');
      },
    ],
  ];
  test.each(
    RULES.flatMap(([rule]) => NOT_TRUE.map(([name, answer]) => [rule, name, answer] as const)),
  )('not `%s` that answers %s', (rule, _, answer) => {
    const { root, gate, receipts } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate, {
      [rule]: answer,
      onMistake: () => {},
    } as TurnOptions<TurnMessage>);
    expect(door.decide(hello())).toMatchObject(refused());
    expect(receipts()).toHaveLength(1);
  });

  test('a rule that throws is reported, and another one may still say yes', () => {
    const { root, gate } = doorFleet();
    hold(root, 'bad deploy');
    const mistakes: unknown[] = [];
    const error = new Error('the register is away');
    const door = turnDoor(gate, {
      liveWork() {
        throw error;
      },
      pendingApproval: () => true,
      onMistake: (mistake) => void mistakes.push(mistake),
    });
    expect(door.decide(hello())).toEqual({ serve: true, because: 'pending-approval' });
    expect(mistakes).toEqual([error]);
  });

  test('what our own code puts in, by where it comes from and not by what it says', () => {
    const { root, gate, receipts } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate);
    expect(door.decide(hello(), 'internal')).toEqual({ serve: true, because: 'internal' });
    const smuggled = { ...hello(), internal: true, origin: 'internal', because: 'internal' };
    expect(door.decide(smuggled)).toMatchObject(refused());
    expect(receipts()).toHaveLength(1);
  });

  test.each([
    '/pause',
    '/pause off',
    '/PAUSE status',
    '/resume',
    '  /pause --ttl 2h bad deploy',
    '/pause --tll',
  ])('the command `%s`, without any rule given', (text) => {
    const { root, gate } = doorFleet();
    hold(root, 'bad deploy');
    const decision = turnDoor(gate).decide({ ...hello(), text });
    expect(decision).toEqual({ serve: true, because: 'control' });
  });

  test.each([
    '/pauses',
    'please /pause',
    '/pause-all',
    'pause',
    '//pause',
    '',
    '/resumes',
    '/status',
    '/help',
    'do this\n/pause',
  ])('not `%s`, which an agent would have to answer', (text) => {
    const { root, gate } = doorFleet();
    hold(root, 'bad deploy');
    expect(turnDoor(gate).decide({ ...hello(), text }).serve).toBe(false);
  });
});

describe('the notice', () => {
  const notices = (
    door: ReturnType<typeof turnDoor>,
    ...messages: readonly TurnMessage[]
  ): boolean[] =>
    messages.map((message) => {
      const decision = door.decide(message);
      return !decision.serve && decision.notice !== null;
    });

  test('is said once in a conversation, and every refusal is counted', () => {
    const { root, gate, receipts } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate);
    const all = [hello('c1'), hello('c1'), hello('c2'), hello('c1', 'ci'), hello('c2')];
    expect(notices(door, ...all)).toEqual([true, false, true, false, false]);
    expect(receipts()).toHaveLength(5);
  });

  test('is said again when the hold changes, be it back to one of before', () => {
    const { root, gate } = doorFleet();
    hold(root, 'first');
    const door = turnDoor(gate);
    expect(notices(door, hello(), hello())).toEqual([true, false]);
    hold(homeOf(root, 'a'), 'second');
    expect(notices(door, hello(), hello())).toEqual([true, false]);
    liftAll(homeOf(root, 'a'));
    expect(notices(door, hello(), hello())).toEqual([true, false]);
  });

  test('is said again in the next pause', () => {
    const { root, gate } = doorFleet();
    const door = turnDoor(gate);
    hold(root, 'first');
    expect(notices(door, hello(), hello())).toEqual([true, false]);
    liftAll(root);
    expect(door.decide(hello()).serve).toBe(true);
    hold(root, 'first');
    expect(notices(door, hello(), hello())).toEqual([true, false]);
  });

  test('is not repeated where different holds refuse the people of one conversation', () => {
    const { root, gate } = doorFleet();
    holdFor(root, ['ops']);
    hold(homeOf(root, 'a'), 'everybody');
    const door = turnDoor(gate);
    const group = [hello('c1', 'ops'), hello('c1', 'ci')];
    expect(notices(door, ...group, ...group, ...group)).toEqual([
      ...[true, true],
      ...[false, false],
      ...[false, false],
    ]);
    // Now ci is refused by the hold that refused ops before. The conversation has seen it.
    liftAll(root);
    expect(notices(door, ...group.toReversed(), ...group)).toEqual([true, false, false, false]);
  });

  test('is said in each profile, although conversations have the same name', () => {
    const { root, gate } = doorFleet(['a', 'b']);
    hold(root, 'bad deploy');
    const door = turnDoor(gate);
    const [a, b] = [
      { ...hello(), profile: 'a' },
      { ...hello(), profile: 'b' },
    ];
    expect(notices(door, a, b, a, b)).toEqual([true, true, false, false]);
  });

  test('may be repeated to those who were forgotten, and is never withheld the first time', () => {
    const { root, gate } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate, { maxConversations: 3 });
    expect(notices(door, ...['c1', 'c2', 'c3'].map((it) => hello(it)))).toEqual([true, true, true]);
    // c1 has sent a message, so c2 is the oldest one.
    expect(notices(door, hello('c1'), hello('c4'))).toEqual([false, true]);
    expect(notices(door, hello('c1'), hello('c3'), hello('c2'))).toEqual([false, false, true]);
  });

  test('1,000 conversations with three messages each get one notice each', () => {
    const { root, gate, receipts } = doorFleet();
    hold(root, 'bad deploy');
    const door = turnDoor(gate);
    let said = 0;
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 1_000; at += 1) {
        const decision = door.decide(hello(`c${at}`));
        expect(decision.serve).toBe(false);
        if (!decision.serve && decision.notice !== null) said += 1;
      }
    }
    expect(said).toBe(1_000);
    expect(receipts()).toHaveLength(3_000);
  });

  const OUTAGES: readonly (readonly [string, (home: string) => void])[] = [
    ['is gone', () => {}],
    ['cannot be looked into', (home) => symlinkSync(home, home)],
  ];
  const spoil = (home: string, put: (home: string) => void): (() => void) => {
    renameSync(home, `${home}-aside`);
    put(home);
    return () => {
      rmSync(home, { force: true });
      renameSync(`${home}-aside`, home);
    };
  };

  test.each(OUTAGES)('is said once while a home %s, and again the next time', (_, put) => {
    const { root, gate } = doorFleet();
    const home = homeOf(root, 'a');
    const door = turnDoor(gate);
    for (let outage = 0; outage < 3; outage += 1) {
      const repair = spoil(home, put);
      expect(notices(door, hello(), hello(), hello())).toEqual([true, false, false]);
      repair();
      // The gate may read the home for another conversation.
      expect(door.decide(hello('c2')).serve).toBe(true);
    }
  });

  test('is said again in an outage before which nobody asked', async () => {
    const { root, gate } = doorFleet(['a'], { sweepMs: 20 });
    const home = homeOf(root, 'a');
    const door = turnDoor(gate);
    const engaged: boolean[] = [];
    gate.onChange((change) => void engaged.push(change.engaged));
    for (let outage = 0; outage < 2; outage += 1) {
      const repair = spoil(home, (it) => symlinkSync(it, it));
      expect(notices(door, hello(), hello())).toEqual([true, false]);
      await vi.waitUntil(() => engaged.at(-1) === true, { timeout: 30_000 });
      expect(notices(door, hello())).toEqual([false]);
      repair();
      await vi.waitUntil(() => engaged.at(-1) === false, { timeout: 30_000 });
    }
  });

  test('is not said again because a hold came and went elsewhere in a conversation’s silence', () => {
    const { root, gate } = doorFleet();
    const home = homeOf(root, 'a');
    const door = turnDoor(gate);
    const repair = spoil(home, () => {});
    expect(notices(door, hello('c1'))).toEqual([true]);
    hold(root, 'bad deploy');
    expect(notices(door, hello('c2'))).toEqual([true]);
    liftAll(root);
    expect(notices(door, hello('c1'), hello('c2'))).toEqual([false, true]);
    repair();
  });

  test('says until when, and what cannot be read', () => {
    const { root, gate } = doorFleet();
    hold(root, 'bad deploy', { expiresAt: inMs(3_600_000) });
    const door = turnDoor(gate);
    expect(door.decide(hello())).toMatchObject(refused(expect.stringMatching(/bad deploy.*until/)));
    rmSync(join(root, 'ESTOP'));
    expect(door.decide(hello()).serve).toBe(true);
  });
});

test('a message for a profile that is not served is an error, and not served', () => {
  const { gate } = doorFleet(['a', 'b']);
  const door = turnDoor(gate);
  expect(() => door.decide({ ...hello(), profile: 'c' })).toThrow(
    expect.objectContaining({ code: 'PROFILE_UNKNOWN' }),
  );
  expect(() => door.decide(hello())).toThrow(expect.objectContaining({ code: 'PROFILE_UNKNOWN' }));
});
