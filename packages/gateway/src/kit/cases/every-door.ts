/**
 * The cases for every door: holds at the root, at the profile and at both; expired and unreadable
 * sentinels; allowlists.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import { EXPIRED, type KitScope, UNREADABLE } from '../fleet.ts';
import type { Probe } from '../probe.ts';

/** Milliseconds. Long enough to observe a refusal, short enough to wait for the end. */
const SHORT_HOLD_MS = 300;
const PROBE_AGAIN_MS = 50;

const scopeName = (scope: KitScope): string => (scope === 'root' ? 'the root' : 'the profile');

export function everyDoor<Gateway>(probe: Probe<Gateway>): Case<Gateway>[] {
  const { door, knowsWho } = probe;
  type T = CaseContext<Gateway>;
  const cases: [title: string, run: (context: T) => Promise<void>][] = [
    [
      'lets work begin while nothing is armed',
      async (context) => {
        const begin = await probe.prepare(context, context.principals.other);
        await mustBegin(context, probe, begin, 'nothing is armed');
      },
    ],
    [
      'asks each time: a hold placed right after work has begun takes effect at once',
      async (context) => {
        const first = await probe.prepare(context, context.principals.other);
        await mustBegin(context, probe, first, 'nothing is armed');
        const second = await probe.prepare(context, context.principals.other);
        context.fleet.arm('profile');
        const because = 'a hold was placed a moment ago';
        await mustNotBegin(probe, second, because, 'cache no answer: ask the disk each time');
      },
    ],
    ...(['root', 'profile'] as const).map((scope): [string, (context: T) => Promise<void>] => [
      `is held by a hold at ${scopeName(scope)}, and opens with its lift`,
      async (context) => {
        const begin = await probe.prepare(context, context.principals.other);
        context.fleet.arm(scope);
        await mustNotBegin(probe, begin, `a hold stands at ${scopeName(scope)}`);
        context.fleet.lift(scope);
        await mustBegin(context, probe, begin, `the hold at ${scopeName(scope)} was lifted`);
      },
    ]),
    [
      'is held until both root and profile are lifted',
      async (context) => {
        const begin = await probe.prepare(context, context.principals.other);
        context.fleet.arm('root');
        context.fleet.arm('profile');
        await mustNotBegin(probe, begin, 'holds stand at the root and at the profile');
        context.fleet.lift('root');
        await mustNotBegin(probe, begin, 'the root was lifted, and the profile is still held');
        context.fleet.arm('root');
        context.fleet.lift('profile');
        await mustNotBegin(probe, begin, 'the profile was lifted, and the root is still held');
        context.fleet.lift('root');
        await mustBegin(context, probe, begin, 'both holds were lifted');
      },
    ],
    [
      'opens by itself at the deadline of a hold',
      async (context) => {
        const begin = await probe.prepare(context, context.principals.other);
        const endsAtMs = Date.now() + SHORT_HOLD_MS;
        context.fleet.arm('profile', { endsAtMs });
        while (Date.now() < endsAtMs) {
          const began = await begin();
          // An answer after the deadline proves nothing about the time before it.
          if (began && Date.now() < endsAtMs) throw letThrough(probe, 'a hold has not ended yet');
          if (began) return;
          await delay(PROBE_AGAIN_MS);
        }
        await mustBegin(context, probe, begin, 'the only hold has passed its deadline');
      },
    ],
    [
      'is open under a hold that has expired and was not removed',
      async (context) => {
        for (const [kind, put] of Object.entries(EXPIRED)) {
          const begin = await probe.prepare(context, context.principals.other);
          context.fleet.put('root', put);
          context.fleet.put('profile', put);
          await mustBegin(context, probe, begin, `the only holds are expired ones ${kind}`);
          context.fleet.clear();
        }
      },
    ],
    [
      'is held by every kind of unreadable sentinel',
      async (context) => {
        for (const scope of ['profile', 'root'] as const) {
          for (const [kind, put] of Object.entries(UNREADABLE)) {
            const begin = await probe.prepare(context, context.principals.other);
            context.fleet.put(scope, put);
            const because = `the sentinel at ${scopeName(scope)} is ${kind}`;
            await mustNotBegin(probe, begin, because);
            context.fleet.clear();
          }
        }
      },
    ],
  ];
  if (knowsWho)
    cases.push(['admits principals that every hold admits, and nobody else', passes(probe)]);
  return cases.map(([title, run]) => ({ door, title, run }));
}

const passes =
  <Gateway>(probe: Probe<Gateway>) =>
  async (context: CaseContext<Gateway>): Promise<void> => {
    const { fleet, principals } = context;
    const allow = { userIds: [principals.listed] };
    fleet.arm('root', { allow });
    const hint =
      'ask with the principal that was authenticated: its identity is compared as exact text';
    const listed = await probe.prepare(context, principals.listed);
    if (!(await context.patience.until(listed))) {
      throw new DoorFailure(
        probe.door,
        `the only hold admits \`${principals.listed}\`, but \`${probe.door}\` refuses it`,
        hint,
      );
    }
    const other = await probe.prepare(context, principals.other);
    const unlisted = `the only hold admits \`${principals.listed}\`, and \`${principals.other}\` asks`;
    await mustNotBegin(probe, other, unlisted, hint);
    fleet.arm('profile');
    const again = await probe.prepare(context, principals.listed);
    await mustNotBegin(probe, again, 'one of two holds admits nobody', 'deny wins: ask the gate');
  };

export async function mustBegin<Gateway>(
  { patience }: CaseContext<Gateway>,
  { door }: Probe<Gateway>,
  begin: () => Promise<boolean>,
  because: string,
): Promise<void> {
  if (await patience.until(begin)) return;
  throw new DoorFailure(
    door,
    `${because}, but no work began at \`${door}\` within ${patience.ms / 1000} s`,
    'ask the disk each time (the gate does), for the home that `start` got; catch-up waits up to `resumeSpreadMs` after a lift, so start the gateway under test with 0',
  );
}

export async function mustNotBegin<Gateway>(
  probe: Probe<Gateway>,
  begin: () => Promise<boolean>,
  because: string,
  hint?: string,
): Promise<void> {
  if (await begin()) throw letThrough(probe, because, hint);
}

const letThrough = <Gateway>({ door, guard }: Probe<Gateway>, because: string, hint = guard) =>
  new DoorFailure(door, `${because}, but work began at \`${door}\` anyway`, hint);
