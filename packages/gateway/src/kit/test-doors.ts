/**
 * The conformance kit: gives each of a gateway's doors its cases, in whatever test runner there is.
 * What is asked is `cases/`; how the gateway is reached is the author's adapter.
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

/** Hand it to the runner as it is: it may be told how a case is skipped. */
export type Run = (...context: unknown[]) => Promise<void>;

export interface TestDoorsOptions {
  /**
   * The runner's own function, such as vitest's `test`. A case takes some seconds where something is
   * wrong: allow 30. Default: that of `node:test`.
   */
  readonly test?: (title: string, run: Run) => unknown;
  /**
   * The runner's own way to say that a case was skipped. Default: `skip` of what the runner hands to
   * `run`, as `node:test` and vitest do. Where there is neither, what cannot be tested fails.
   */
  readonly skip?: (title: string) => unknown;
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

/** What is tested, and what is skipped since the adapter said that there is none. */
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
 * of is a test that fails; one that it says is null is a test by that name which is skipped, so that
 * nobody takes it for tested.
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
    if (driver === null) skip(`${door}: this gateway has none, and nothing was tested`);
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

/** In JavaScript a part can be forgotten; that must not look like a part that has passed. */
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
    `no \`${door}\` was given in the adapter`,
    'give its driver, or null where your gateway has none',
  );
}

/** A runner that cannot be told would report it as passed. */
function skipBy(context: unknown, title: string): void {
  const skip = (context as { skip?: unknown } | null | undefined)?.skip;
  if (typeof skip === 'function') return void skip.call(context, 'the adapter has none');
  throw new DoorFailure(
    title.split(':')[0] ?? title,
    'what this adapter does not have cannot be shown as skipped in this runner',
    "hand the runner's own way as `skip`, such as `(title) => test.skip(title, () => {})`",
  );
}
