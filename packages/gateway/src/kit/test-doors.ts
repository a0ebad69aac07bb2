/**
 * The conformance kit: gives each of a gateway's doors its cases, in whatever test runner there is.
 * What is asked is `cases/`; how the gateway is reached is the author's adapter.
 */
import { after as nodeAfter, test as nodeTest } from 'node:test';
import type { GatewayAdapter, KitPrincipals } from './adapter.ts';
import { boardCases } from './cases/board.ts';
import { controlCases } from './cases/control.ts';
import { everyDoor } from './cases/every-door.ts';
import { turnCases } from './cases/turn.ts';
import { webhookCases } from './cases/webhook.ts';
import { workCases } from './cases/work.ts';
import { DoorFailure } from './failure.ts';
import { knocksOf } from './knock.ts';
import { takeTurns } from './take-turns.ts';
import { type Case, patienceOf } from './trial.ts';

export interface TestDoorsOptions {
  /**
   * The runner's own function, such as vitest's `test`. A case takes some seconds where something is
   * wrong: allow 30. Default: that of `node:test`.
   */
  readonly test?: (title: string, run: () => Promise<void>) => unknown;
  /**
   * The runner's own function that runs once after all, such as vitest's `afterAll`. With it, one
   * gateway serves all cases until one fails; without it each case starts one. Default: that of
   * `node:test`, where `test` is.
   */
  readonly after?: (stop: () => Promise<void>) => unknown;
  /**
   * Milliseconds in which the adapter answers, and in which what is no longer held begins.
   * Default: 10 s.
   */
  readonly patienceMs?: number;
}

/** What is tested, and what the adapter said that there is none of. */
export interface TestedDoors {
  readonly tested: readonly string[];
  readonly absent: readonly string[];
}

const PRINCIPALS: KitPrincipals = {
  listed: 'kit-listed',
  other: 'kit-other',
  operator: 'kit-operator',
};

/**
 * Registers a test for each thing that a gateway's doors must do. A part that the adapter says nothing
 * of is a test that fails; one that it says is null is a test by that name, so that nobody takes it
 * for tested.
 */
export function testDoors<Gateway>(
  adapter: GatewayAdapter<Gateway>,
  options: TestDoorsOptions = {},
): TestedDoors {
  const { test = nodeTest, after = options.test === undefined ? nodeAfter : undefined } = options;
  const principals = { ...PRINCIPALS, ...adapter.principals };
  const patience = patienceOf(options.patienceMs ?? 10_000);
  const turns = takeTurns(adapter, patience);
  const parts = partsOf(adapter);

  for (const { door, driver } of parts) {
    if (driver === null)
      test(`${door}: this gateway has none, and nothing was tested`, async () => {});
    if (driver === undefined) test(`${door}: must be in the adapter`, async () => forgotten(door));
  }
  for (const { door, title, run } of casesOf(adapter)) {
    const keep = after !== undefined;
    test(`${door}: ${title}`, () =>
      turns.take((start) => run({ ...start, principals, patience }), { keep }));
  }
  after?.(turns.stop);
  const named = (is: (driver: unknown) => boolean) =>
    parts.filter(({ driver }) => is(driver)).map(({ door }) => door);
  return { tested: named(Boolean), absent: named((driver) => !driver) };
}

/** In JavaScript a part can be forgotten; that must not look like a part that has passed. */
function partsOf<Gateway>({ doors, ownDoors = {}, work, control }: GatewayAdapter<Gateway>) {
  const known = ['turn', 'cron', 'cron-misfire', 'cron-webhook', 'kanban'] as const;
  const parts: { door: string; driver: unknown }[] = [
    ...known.map((door) => ({ door, driver: doors[door] })),
    ...Object.entries(ownDoors).map(([door, driver]) => ({ door, driver })),
    { door: 'work', driver: work },
    { door: 'control', driver: control },
  ];
  return parts;
}

function casesOf<Gateway>(adapter: GatewayAdapter<Gateway>): Case<Gateway>[] {
  const { doors, work, control } = adapter;
  const knocks = knocksOf(adapter);
  const [knock] = knocks;
  return [
    ...knocks.flatMap(everyDoor),
    ...(doors.turn ? turnCases(doors.turn) : []),
    ...(doors['cron-webhook'] ? webhookCases(doors['cron-webhook']) : []),
    ...(doors.kanban ? boardCases(doors.kanban) : []),
    ...(work ? workCases(work) : []),
    ...(control ? controlCases(control, knock) : []),
  ];
}

function forgotten(door: string): never {
  throw new DoorFailure(
    door,
    `no \`${door}\` was given in the adapter`,
    'give its driver, or null where your gateway has none',
  );
}
