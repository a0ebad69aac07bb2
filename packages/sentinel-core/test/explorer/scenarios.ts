/**
 * The sets of scenarios: who meets whom over which sentinel, in what kind of world.
 * What an actor or a sentinel named here is, is in `catalogue.ts`.
 */
import { actorsOf, INITIAL } from './catalogue.ts';
import { explore, type Options, type Report } from './explore.ts';
import type { Design, Fault } from './judge.ts';
import { check, recover } from './protocol.ts';

export interface Scenario {
  readonly initial: string;
  readonly actors: readonly string[];
  /** How many actors may be killed as a step of its own, and not only by taking no further one. */
  readonly kills: number;
  readonly failures: number;
  /** Which calls fail: those that need space, or any, with an errno that says nothing of the object. */
  readonly failing: 'space' | 'anything';
  readonly lateCalls: boolean;
  readonly linksRefused: boolean;
}

const ARM = ['armH', 'armO', 'armK', 'armHx', 'armKs', 'armHs', 'casZ', 'cas0'];
const LIFT = ['liftH', 'liftK', 'liftO', 'liftHid', 'liftZ', 'all', 'allZ'];
const LIBRARY = [...LIFT, ...ARM, 'retire', 'recover'];
/** With a clock that takes a live hold for an expired one. */
const AHEAD = ['aheadO', 'aheadK'];
const FOREIGN = ['touch', 'rm', 'wtext', 'wren', 'tick'];
const MAIN = ['liftH', 'liftO', 'all', 'armH', 'armO', 'armHx', 'retire', 'recover'];

/** Every meeting of the two; each only once where they are the same. */
const meet = (some: readonly string[], others: readonly string[]): string[][] =>
  some.flatMap((one, at) =>
    others.filter((_, other) => some !== others || other >= at).map((other) => [one, other]),
  );

interface SetOfScenarios {
  /** What the set is about. */
  readonly about: string;
  readonly actors: readonly (readonly string[])[];
  readonly initial: readonly string[];
  /** Only where time passes. */
  readonly timed?: readonly string[];
  readonly failures?: number;
  readonly failing?: 'anything';
  readonly lateCalls?: true;
  readonly linksRefused?: true;
}

const COMMON = {
  initial: ['absent', 'dead2', 'hold', 'two', 'anonymous'],
  timed: ['soon', 'soon2', 'both'],
};
const FEW = { initial: ['two', 'hold', 'dead2'], timed: ['soon2'] };

export const SETS: Readonly<Record<string, SetOfScenarios>> = {
  one: { ...COMMON, about: 'one operation', actors: LIBRARY.map((one) => [one]) },
  pairs: {
    ...COMMON,
    about: 'one operation meets another, or somebody foreign',
    actors: [...meet(LIBRARY, FOREIGN), ...meet(LIBRARY, LIBRARY)],
  },
  triples: {
    ...COMMON,
    about: 'one operation meets two foreigners',
    actors: LIBRARY.flatMap((one) =>
      meet(FOREIGN, FOREIGN)
        .filter(([y, z]) => y !== 'tick' || z !== 'tick')
        .map((two) => [one, ...two]),
    ),
  },
  ahead: {
    initial: ['soon2'],
    about: 'a process whose clock is ahead meets one operation, or somebody foreign',
    actors: [
      ...AHEAD.map((one) => [one]),
      ...meet(AHEAD, [...FOREIGN, 'check', 'retire', 'recover', 'liftH', 'liftO', 'armH', 'armK']),
    ],
  },
  checks: {
    ...FEW,
    about: 'a check meets a pair',
    actors: [...meet(LIBRARY, FOREIGN), ...meet(MAIN, MAIN)].map((two) => ['check', ...two]),
  },
  lib3: {
    ...FEW,
    timed: ['soon2', 'both'],
    about: 'two operations and somebody foreign',
    actors: meet(MAIN, MAIN).flatMap((two) => FOREIGN.map((one) => [...two, one])),
  },
  full: {
    ...COMMON,
    about: 'a full disk: up to three creations or writes fail',
    failures: 3,
    actors: [
      ...[...ARM, 'liftH', 'liftO', 'all', 'retire', 'recover'].flatMap((one) => [
        [one],
        ...[...FOREIGN, 'check', 'retire'].map((other) => [one, other]),
      ]),
      ...meet(['liftH', 'armO', 'armK'], ['armH', 'armO', 'recover']),
    ],
  },
  errno: {
    initial: ['absent', 'dead2', 'hold', 'two', 'anonymous'],
    about: 'any one call of any operation fails, looks included',
    failures: 1,
    failing: 'anything',
    actors: [
      ...[...LIBRARY, 'check'].map((one) => [one]),
      ...meet(MAIN, [...FOREIGN.filter((one) => one !== 'tick'), 'check', 'retire', 'recover']),
      ...meet(['liftH', 'armO', 'armK'], ['armH', 'liftO', 'all']),
    ],
  },
  nolinks: {
    initial: ['absent', 'two', 'hold', 'dead2'],
    about: 'a file system without hard links; library operations among themselves',
    linksRefused: true,
    actors: [...LIBRARY.map((one) => [one]), ...meet(MAIN, [...MAIN, 'armK', 'liftK'])],
  },
  odd: {
    about:
      'a folder, a FIFO or an empty file in the place of the sentinel, a file among the tenures, or a hold aside',
    initial: [
      'fifo',
      'folder',
      'fullFolder',
      'empty',
      'strayed',
      'strayedHold',
      'aside',
      'asideToo',
      'asidePinned',
    ],
    actors: ['armO', 'armH', 'liftO', 'liftH', 'all', 'recover', 'retire'].flatMap((one) => [
      [one],
      [one, 'check'],
      ...FOREIGN.slice(0, 4).flatMap((other) => [
        [one, other],
        [one, other, 'check'],
      ]),
      ...['armK', 'liftO', 'all', 'recover'].map((other) => [one, other]),
    ]),
  },
  walkp: {
    ...FEW,
    about: 'calls of a robbed owner land late; pairs, and a check beside some',
    lateCalls: true,
    actors: [
      ...meet(['retire', 'recover', 'liftO'], ['retire', 'recover']).map((two) => [
        ...two,
        'check',
      ]),
      ...meet(MAIN, ['armK', 'liftK', 'all', 'retire', 'recover']),
      ...meet(LIBRARY, FOREIGN),
    ],
  },
  walk3: {
    ...FEW,
    about: 'calls of a robbed owner land late; two operations and a foreign rename',
    lateCalls: true,
    actors: meet(['liftH', 'armH', 'retire', 'recover'], ['liftO', 'armK', 'retire']).map((two) => [
      ...two,
      'wren',
    ]),
  },
};

/**
 * What `npm test` explores of each set: of the scenarios up to a cost every so-manieth, so that it is
 * the same every time.
 */
const QUICK: Readonly<Record<string, { readonly every: number; readonly upTo: number }>> = {
  one: { every: 1, upTo: 40 },
  pairs: { every: 16, upTo: 800 },
  triples: { every: 32, upTo: 160 },
  ahead: { every: 2, upTo: 400 },
  checks: { every: 9, upTo: 600 },
  lib3: { every: 16, upTo: 600 },
  full: { every: 9, upTo: 320 },
  errno: { every: 9, upTo: 320 },
  nolinks: { every: 7, upTo: 800 },
  odd: { every: 9, upTo: 600 },
  walkp: { every: 12, upTo: 600 },
  walk3: { every: 4, upTo: 900 },
};

export const quickSets = (): string[] => Object.keys(QUICK);

export function quickScenariosOf(name: string): Scenario[] {
  const { every, upTo } = QUICK[name]!;
  return scenariosOf(name)
    .filter(({ actors }) => costOf(actors) <= upTo)
    .filter((_, at) => at % every === 0);
}

/** The scenarios of a set, the cheapest first. */
export function scenariosOf(name: string): Scenario[] {
  const set = SETS[name];
  if (set === undefined) throw new Error(`no such set: \`${name}\``);
  const { initial, timed = [], failures = 0, failing = 'space' } = set;
  const { lateCalls = false, linksRefused = false } = set;
  return [...set.actors]
    .sort((a, b) => costOf(a) - costOf(b))
    .flatMap((actors) =>
      (actors.includes('tick') ? [...initial, ...timed] : initial).map((sentinel) => ({
        initial: sentinel,
        actors,
        kills: 0,
        failures,
        failing,
        lateCalls,
        linksRefused,
      })),
    );
}

const COST: Readonly<Record<string, number>> = {
  retire: 10,
  recover: 30,
  check: 10,
  wtext: 2,
  wren: 2,
};

/** Steps multiply: a rough guess is enough to put the dear ones last. */
function costOf(actors: readonly string[]): number {
  return actors.reduce((cost, kind) => {
    if (/^(arm|cas|aheadO)/.test(kind)) return cost * 40;
    if (/^(lift|all|aheadK)/.test(kind)) return cost * 20;
    return cost * (COST[kind] ?? 1);
  }, 1);
}

export const nameOf = ({ initial, actors }: Scenario): string =>
  `${initial}: ${actors.join(' + ')}`;

const SHIPPED: Design = {
  check: (disk) => check(disk, ''),
  recover: (disk) => recover(disk, '', { force: true }),
};

export function runScenario(scenario: Scenario, options: Partial<Options> = {}): Report {
  const { initial, actors, kills, failures, failing, lateCalls, linksRefused } = scenario;
  const files = INITIAL[initial];
  if (files === undefined) throw new Error(`no such sentinel: \`${initial}\``);
  return explore(
    {
      initial: files,
      actors: actorsOf(actors),
      design: SHIPPED,
      faultOfEnd: (words) => faultOfWinners(scenario, words),
    },
    { kills, failures, failing, lateCalls, linksRefused, plain: false, cap: 600_000, ...options },
  );
}

/** Of two operations fenced on one generation or one id exactly one wins [6]. */
function faultOfWinners({ actors, initial, failures }: Scenario, words: readonly string[]) {
  const isForeign = (kind: string) => FOREIGN.includes(kind);
  const quiet = !actors.some(isForeign);
  const winners = (kind: string) => {
    const done = kind.startsWith('cas') ? 'armed' : 'lifted';
    return words.filter((word, at) => actors[at] === kind && word === done).length;
  };
  const fault = (text: string): Fault => ({ breaks: 'I6', text });
  const armsAlone = quiet && !actors.some((kind) => LIFT.includes(kind));
  if (
    winners('allZ') > 1 ||
    winners('liftHid') > 1 ||
    (quiet && winners('casZ') > 1) ||
    (armsAlone && winners('cas0') > 1)
  ) {
    return fault('two fenced operations both won');
  }
  const excused = words.some((word) => ['killed', 'busy', 'unseen'].includes(word));
  if (!quiet || failures > 0 || initial !== 'hold' || excused) return null;
  for (const kind of ['allZ', 'liftHid', 'casZ']) {
    const rivals = actors.filter((other) => other === kind).length;
    if (rivals === 2 && actors.every((other) => other === kind || other === 'check')) {
      if (winners(kind) !== 1) return fault('of two fenced operations none won');
    }
  }
  return null;
}
