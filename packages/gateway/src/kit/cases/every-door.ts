/**
 * What is asked of every door: held at the root, at the profile, at both; expired; not to be read; and
 * who may pass.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DoorFailure } from '../failure.ts';
import { EXPIRED, type Place, UNREADABLE } from '../fleet.ts';
import type { Knock } from '../knock.ts';
import type { Case, Trial } from '../trial.ts';

/** Milliseconds. Long enough to be refused in, short enough to wait for. */
const SHORT_HOLD_MS = 300;
const KNOCK_AGAIN_MS = 50;

const placeName = (place: Place): string => (place === 'root' ? 'the root' : 'the profile');

export function everyDoor<Gateway>(knock: Knock<Gateway>): Case<Gateway>[] {
  const { door, knowsWho } = knock;
  type T = Trial<Gateway>;
  const cases: [title: string, run: (trial: T) => Promise<void>][] = [
    [
      'lets work begin while nothing is armed',
      async (trial) => {
        const begin = await knock.prepare(trial, trial.principals.other);
        await mustBegin(trial, knock, begin, 'nothing is armed');
      },
    ],
    [
      'asks anew each time: it is held at once, right after work has begun',
      async (trial) => {
        const first = await knock.prepare(trial, trial.principals.other);
        await mustBegin(trial, knock, first, 'nothing is armed');
        const second = await knock.prepare(trial, trial.principals.other);
        trial.fleet.arm('profile');
        const because = 'a hold was placed a moment ago';
        await mustNotBegin(knock, second, because, 'remember no answer: ask the disk each time');
      },
    ],
    ...(['root', 'profile'] as const).map((place): [string, (trial: T) => Promise<void>] => [
      `is held by a hold at ${placeName(place)}, and opens with its lift`,
      async (trial) => {
        const begin = await knock.prepare(trial, trial.principals.other);
        trial.fleet.arm(place);
        await mustNotBegin(knock, begin, `a hold stands at ${placeName(place)}`);
        trial.fleet.lift(place);
        await mustBegin(trial, knock, begin, `the hold at ${placeName(place)} was lifted`);
      },
    ]),
    [
      'is held until both root and profile are lifted',
      async (trial) => {
        const begin = await knock.prepare(trial, trial.principals.other);
        trial.fleet.arm('root');
        trial.fleet.arm('profile');
        await mustNotBegin(knock, begin, 'holds stand at the root and at the profile');
        trial.fleet.lift('root');
        await mustNotBegin(knock, begin, 'the root was lifted, and the profile is still held');
        trial.fleet.arm('root');
        trial.fleet.lift('profile');
        await mustNotBegin(knock, begin, 'the profile was lifted, and the root is still held');
        trial.fleet.lift('root');
        await mustBegin(trial, knock, begin, 'both holds were lifted');
      },
    ],
    [
      "opens at the deadline of a hold, without anybody's help",
      async (trial) => {
        const begin = await knock.prepare(trial, trial.principals.other);
        const endsAtMs = Date.now() + SHORT_HOLD_MS;
        trial.fleet.arm('profile', { endsAtMs });
        while (Date.now() < endsAtMs) {
          const began = await begin();
          // What was answered after the deadline says nothing about before it.
          if (began && Date.now() < endsAtMs) throw letThrough(knock, 'a hold has not ended yet');
          if (began) return;
          await delay(KNOCK_AGAIN_MS);
        }
        await mustBegin(trial, knock, begin, 'the only hold has passed its deadline');
      },
    ],
    [
      'is open under a hold that has expired and was not removed',
      async (trial) => {
        for (const [kind, put] of Object.entries(EXPIRED)) {
          const begin = await knock.prepare(trial, trial.principals.other);
          trial.fleet.put('root', put);
          trial.fleet.put('profile', put);
          await mustBegin(trial, knock, begin, `the only holds are expired ones ${kind}`);
          trial.fleet.clear();
        }
      },
    ],
    [
      'is held by a sentinel that cannot be read, whatever it is',
      async (trial) => {
        for (const place of ['profile', 'root'] as const) {
          for (const [kind, put] of Object.entries(UNREADABLE)) {
            const begin = await knock.prepare(trial, trial.principals.other);
            trial.fleet.put(place, put);
            const standing = `${kind} stands in the place of the sentinel at ${placeName(place)}`;
            await mustNotBegin(knock, begin, standing);
            trial.fleet.clear();
          }
        }
      },
    ],
  ];
  if (knowsWho)
    cases.push(['lets those pass whom every hold lets pass, and nobody else', passes(knock)]);
  return cases.map(([title, run]) => ({ door, title, run }));
}

const passes =
  <Gateway>(knock: Knock<Gateway>) =>
  async (trial: Trial<Gateway>): Promise<void> => {
    const { fleet, principals } = trial;
    const allow = { userIds: [principals.listed] };
    fleet.arm('root', { allow });
    const hint =
      'ask with the principal that was authenticated: its identity is compared as exact text';
    const listed = await knock.prepare(trial, principals.listed);
    if (!(await trial.patience.until(listed))) {
      throw new DoorFailure(
        knock.door,
        `\`${principals.listed}\` is let pass by the only hold, and is refused at \`${knock.door}\``,
        hint,
      );
    }
    const other = await knock.prepare(trial, principals.other);
    const unlisted = `the only hold lets \`${principals.listed}\` pass, and \`${principals.other}\` asks`;
    await mustNotBegin(knock, other, unlisted, hint);
    fleet.arm('profile');
    const again = await knock.prepare(trial, principals.listed);
    await mustNotBegin(
      knock,
      again,
      'one of two holds lets nobody pass',
      'deny wins: ask the gate',
    );
  };

export async function mustBegin<Gateway>(
  { patience }: Trial<Gateway>,
  { door }: Knock<Gateway>,
  begin: () => Promise<boolean>,
  because: string,
): Promise<void> {
  if (await patience.until(begin)) return;
  throw new DoorFailure(
    door,
    `${because}, and no work began at \`${door}\` within ${patience.ms / 1000} s`,
    'ask the disk each time (the gate does), for the home that `start` was given; after a lift, catch-up waits up to `resumeSpreadMs`: let your test start it with 0',
  );
}

export async function mustNotBegin<Gateway>(
  knock: Knock<Gateway>,
  begin: () => Promise<boolean>,
  because: string,
  hint?: string,
): Promise<void> {
  if (await begin()) throw letThrough(knock, because, hint);
}

const letThrough = <Gateway>({ door, guard }: Knock<Gateway>, because: string, hint = guard) =>
  new DoorFailure(door, `${because}, and work began at \`${door}\` all the same`, hint);
