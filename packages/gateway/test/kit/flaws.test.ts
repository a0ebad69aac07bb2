import { describe, expect, it } from 'vitest';
import { DoorFailure, testDoors } from '../../src/kit/index.ts';
import { referenceAdapter } from './reference-adapter.ts';
import type { Flaw } from './reference-gateway.ts';

/** Cases of the other doors that show whether they still open and close. */
const OF_OTHERS = /: lets work begin|: is held by a hold at the root|^work:|^control:|^link:/;
const NONE = /^$/;

/** The failures by door, as a test runner would report them. */
async function failuresWith(
  flaw: Flaw,
  others: RegExp,
  own = /^/,
): Promise<Map<string, DoorFailure[]>> {
  const cases: { title: string; run: () => Promise<void> }[] = [];
  let stop = async () => {};
  testDoors(referenceAdapter(flaw), {
    test: (title, run) => cases.push({ title, run }),
    after: (last) => {
      stop = last;
    },
    patienceMs: 1_000,
  });
  const failures = new Map<string, DoorFailure[]>();
  for (const { title, run } of cases) {
    const door = doorOf(title);
    if (!(door === doorOf(flaw) ? own : others).test(title)) continue;
    try {
      await run();
    } catch (error) {
      if (!(error instanceof DoorFailure)) throw error;
      failures.set(door, [...(failures.get(door) ?? []), error]);
    }
  }
  await stop();
  return failures;
}

const doorOf = (text: string): string => text.split(':')[0] ?? '';

describe.concurrent('a guard that was left out', () => {
  const guards: Flaw[] = [
    'turn',
    'cron',
    'cron-misfire',
    'cron-webhook',
    'kanban',
    'dispatch',
    'work',
    'control',
    'link',
  ];
  it.each(guards)('of `%s` fails cases of that door, and of no other', async (flaw) => {
    const failures = await failuresWith(flaw, OF_OTHERS);
    expect([...failures.keys()]).toEqual([flaw]);
    for (const failure of failures.get(flaw) ?? []) {
      expect(failure.door).toBe(flaw);
      expect(failure.hint).not.toBe('');
    }
  });
});

describe.concurrent('a door that is there, and wrong', () => {
  const flaws: [Flaw, RegExp][] = [
    ['work', /work in hand had ended during a pause/],
    ['turn: asks once at start', /but work began at `turn` anyway/],
    ['turn: without its principal', /the only hold admits `kit-listed`, but `turn` refuses it/],
    ['turn: leaves no receipts', /3 refusals at `turn` left 0 receipts/],
    ['turn: repeats the notice', /got the notice of the same hold again/],
    ['turn: says nothing', /no notice was shown/],
    ['cron: asks once at start', /but work began at `cron` anyway/],
    ['cron-webhook: before authentication', /answers 401 while running, and 503 while paused/],
    ['cron-webhook: after the claim', /sent again after the lift/],
    ['cron-webhook: a bare 503', /its 503 lacks what a sender needs/],
    ['cron-webhook: works all the same', /its work began anyway/],
    ['kanban: asks once', /the worker was spawned anyway/],
    ['kanban: keeps the card', /the card was not given back/],
    ['kanban: marks a failure', /given back with a failure mark/],
    ['kanban: blocks the card', /not dispatched after the lift/],
    ['dispatch: knows the profile only', /at the root, but work began at `dispatch` anyway/],
    ['dispatch: knows the root only', /at the profile, but work began at `dispatch` anyway/],
    ['dispatch: a file is a hold', /the only holds are expired ones/],
    ['dispatch: no body is no hold', /the sentinel at the \w+ is (a FIFO|a text that is not JSON)/],
    ['control', /by a permitted user placed no hold: the reply was "done"/],
    ['control: behind the turn door', /was not answered/],
    ['control: anybody may', /by a user without permission/],
    ['control: lifts everything', /changed an operator's hold, or removed it/],
    ['control: replaces what stands', /changed an operator's hold, or removed it/],
    ['dispatch: believes the watcher', /the watcher pushed that nothing holds, .* but work began/],
    ['dispatch: remembers its answer', /a hold was placed a moment ago, but work began/],
    ['work: is not on record', /work runs but is not recorded/],
    ['work: stays on record', /work has ended but is still recorded/],
    ['link: of another fleet', /no gateway sent a hello/],
    ['link: acknowledges what it hears', /that is not on disk was acknowledged/],
  ];
  it.each(flaws)('%s: is reported', async (flaw, expected) => {
    const door = doorOf(flaw);
    const failures = await failuresWith(flaw, NONE);
    expect(failures.get(door)?.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(expected),
    );
  });
});

// Not concurrent: the order of timers with equal times must not depend on other tests.
describe('a guard that decides, and waits before it starts,', () => {
  const doors = ['turn', 'cron', 'cron-webhook', 'kanban', 'dispatch'] as const;
  it.each(doors)('is reported at `%s`', async (door) => {
    const failures = await failuresWith(
      `${door}: waits after its decision`,
      NONE,
      /begins nothing after a hold/,
    );
    expect(failures.get(door)?.map(({ message }) => message)).toEqual([
      expect.stringContaining(`work began at \`${door}\` after a hold was placed`),
    ]);
  });
});
