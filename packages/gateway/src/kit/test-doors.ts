/**
 * The conformance kit: registers the cases for a gateway's doors in any test runner.
 * The cases are `cases/`; the gateway is reached through the author's adapter.
 */
import { after as nodeAfter, test as nodeTest } from 'node:test';
import type { GatewayAdapter, KitPrincipals } from './adapter.ts';
import { type Case, patienceOf } from './case.ts';
import { WAITS_NOT, waitsNot } from './cases/after-the-decision.ts';
import { boardCases } from './cases/board.ts';
import { controlCases } from './cases/control.ts';
import { everyDoor } from './cases/every-door.ts';
import { goesByTheDisk, linkCases } from './cases/link.ts';
import { turnCases } from './cases/turn.ts';
import { webhookCases } from './cases/webhook.ts';
import { workCases } from './cases/work.ts';
import { DoorFailure } from './failure.ts';
import { type Probe, probesOf } from './probe.ts';
import { takeTurns } from './take-turns.ts';

/** The body of a test. Pass it to the runner unchanged: it uses the runner's context to skip. */
export type Run = (...context: unknown[]) => Promise<void>;

export interface TestDoorsOptions {
  /**
   * The runner's test function, such as vitest's `test`. A failing case can take some seconds: allow 30.
   * Default: `test` of `node:test`.
   */
  readonly test?: (title: string, run: Run) => unknown;
  /**
   * The runner's way to register a skipped test. Default: `skip` of the context that the runner passes to
   * `run`, as `node:test` and vitest do. Without either, a part that cannot be tested fails.
   */
  readonly skip?: (title: string) => unknown;
  /**
   * The runner's function for a callback after all tests, such as vitest's `afterAll`. With it, one
   * gateway serves all cases until one fails; without it, each case starts its own. Default: `after` of
   * `node:test` if `test` is not given, else none.
   */
  readonly after?: (stop: () => Promise<void>) => unknown;
  /**
   * Milliseconds in which the adapter must answer, and in which work must begin after a lift.
   * Default: 10,000.
   */
  readonly patienceMs?: number;
}

/** Names of the parts that are tested, and of those that the adapter does not have. */
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
 * Registers a test for each requirement on a gateway's doors. A part that the adapter sets to null
 * becomes a skipped test; a part that it leaves out becomes a failing one, so that an untested part never
 * looks tested.
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
  const probes = probesOf(adapter);
  const skip =
    options.skip ?? ((title) => test(title, async (...context) => skipBy(context[0], title)));

  for (const { door, driver } of parts) {
    if (driver === null) skip(`${door}: not tested, the adapter has none`);
    if (driver === undefined) test(`${door}: must be in the adapter`, async () => forgotten(door));
  }
  for (const { door, watch } of probes) {
    if (watch === null) skip(`${door}: ${WAITS_NOT}: not tested, the adapter has no \`begun\``);
  }
  for (const { door, title, run, spoils = false } of casesOf(adapter, probes)) {
    const keep = after !== undefined && !spoils;
    test(`${door}: ${title}`, () =>
      turns.take((start) => run({ ...start, principals, patience }), { keep }));
  }
  after?.(turns.stop);
  const named = (is: (driver: unknown) => boolean) =>
    parts.filter(({ driver }) => is(driver)).map(({ door }) => door);
  return { tested: named(Boolean), absent: named((driver) => !driver) };
}

/** In JavaScript a part can be forgotten, which must not look like a part that passed. */
function partsOf<Gateway>(adapter: GatewayAdapter<Gateway>) {
  const { doors, ownDoors = {}, work, control, link, begun } = adapter;
  const known = ['turn', 'cron', 'cron-misfire', 'cron-webhook', 'kanban'] as const;
  const parts: { door: string; driver: unknown }[] = [
    ...known.map((door) => ({ door, driver: doors[door] })),
    ...Object.entries(ownDoors).map(([door, driver]) => ({ door, driver })),
    { door: 'work', driver: work },
    { door: 'control', driver: control },
    { door: 'link', driver: link },
    { door: 'begun', driver: begun },
  ];
  return parts;
}

function casesOf<Gateway>(
  { doors, work, control, link }: GatewayAdapter<Gateway>,
  probes: readonly Probe<Gateway>[],
): Case<Gateway>[] {
  const [probe] = probes;
  return [
    ...probes.flatMap(everyDoor),
    ...probes.flatMap((it) => (it.watch === null ? [] : [waitsNot(it, it.watch)])),
    ...(doors.turn ? turnCases(doors.turn) : []),
    ...(doors['cron-webhook'] ? webhookCases(doors['cron-webhook']) : []),
    ...(doors.kanban ? boardCases(doors.kanban) : []),
    ...(work ? workCases(work) : []),
    ...(control ? controlCases(control, probe) : []),
    ...(link ? [...linkCases<Gateway>(), ...probes.map(goesByTheDisk)] : []),
  ];
}

function forgotten(door: string): never {
  throw new DoorFailure(
    door,
    `the adapter does not define \`${door}\``,
    'define its driver, or set it to null if your gateway has none',
  );
}

/** Fails if the runner has no `skip`: it would report the test as passed. */
function skipBy(context: unknown, title: string): void {
  const skip = (context as { skip?: unknown } | null | undefined)?.skip;
  if (typeof skip === 'function') return void skip.call(context, 'the adapter has none');
  throw new DoorFailure(
    title.split(':')[0] ?? title,
    'this test runner passes no `skip`, so a missing part cannot be reported as skipped',
    'pass the option `skip`, such as `(title) => test.skip(title, () => {})`',
  );
}
