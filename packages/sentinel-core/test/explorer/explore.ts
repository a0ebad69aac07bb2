/**
 * Every interleaving of the actors' system calls, from one initial world, each broken off anywhere: breadth first,
 * so that the trace to the first of its faults is among the shortest.
 * What a step does is `transitions.ts`, what must hold in a state is `judge.ts`, which steps need no
 * interleaving is `reduction.ts`.
 */
import type { Actor } from './actor.ts';
import { type Design, type Fault, Judge } from './judge.ts';
import { misjudgedMerge } from './merge-test.ts';
import type { Content } from './posix-world.ts';
import { beginReading } from './reading.ts';
import { StateTable } from './state-table.ts';
import { answerOf } from './tally.ts';
import { labelOf } from './trace.ts';
import { type State, type Successor, type TransitionOptions, Transitions } from './transitions.ts';

export interface Setting {
  readonly initial: Readonly<Record<string, Content>>;
  readonly actors: readonly Actor[];
  readonly design: Design;
  /** What is wrong with how they all ended, by their answers in a word. */
  readonly faultOfEnd?: (words: readonly string[]) => Fault | null;
}

export interface Options extends TransitionOptions {
  /** States after which it gives up. */
  readonly cap: number;
  /** Ends with the first violation, when there is one to be found. */
  readonly untilFault?: boolean;
  /** Called now and then: how many states were found, and how many of them were looked at. */
  readonly onProgress?: ((found: number, lookedAt: number) => void) | undefined;
}

export interface Finding {
  count: number;
  readonly text: string;
  /** What leads to the first of them. */
  readonly trace: readonly string[];
}

export interface Report {
  readonly states: number;
  readonly steps: number;
  readonly ends: number;
  readonly capped: boolean;
  /** Rounds were not merged, since the code turned out to carry more from one to the next. */
  readonly apart: boolean;
  readonly longestCheck: number;
  /** Checks that gave up looking, and held. */
  readonly unsettled: number;
  /** By the promise that is broken. */
  readonly violations: ReadonlyMap<string, Finding>;
  /** Documented windows that were met. */
  readonly windows: ReadonlyMap<string, Finding>;
  /** How often all ended so, by their answers in a word. */
  readonly endings: ReadonlyMap<string, number>;
}

export function explore(setting: Setting, options: Options): Report {
  const reading = { copies: options.linksRefused };
  beginReading(reading);
  const exploration = new Exploration(setting, options);
  const report = exploration.run();
  if (options.apart || !exploration.hasMisjudged()) return report;
  beginReading(reading);
  return new Exploration(setting, { ...options, apart: true }).run();
}

class Exploration {
  private readonly setting: Setting;
  private readonly options: Options;
  private readonly transitions: Transitions;
  private readonly judge: Judge;
  private readonly table: StateTable;
  private readonly violations = new Map<string, Finding>();
  private readonly windows = new Map<string, Finding>();
  private readonly endings = new Map<string, number>();
  private steps = 0;
  private ends = 0;
  private longestCheck = 0;
  private unsettled = 0;

  constructor(setting: Setting, options: Options) {
    this.setting = setting;
    this.options = options;
    this.transitions = new Transitions(options, setting.actors);
    this.judge = new Judge(this.transitions.model, setting.design);
    this.table = new StateTable(3 + setting.actors.length);
  }

  run(): Report {
    const { table, transitions } = this;
    const { initial, actors } = this.setting;
    const { cap, untilFault = false, apart = false, onProgress } = this.options;
    this.enter(transitions.initial(initial, actors), -1);
    let next = 0;
    for (; next < table.size && table.size <= cap; next++) {
      if (untilFault && this.isGuilty()) break;
      if (next % 100_000 === 0) onProgress?.(table.size, next);
      for (const successor of transitions.successors(this.stateAt(next))) {
        this.take(successor, next);
      }
    }
    const { steps, ends, longestCheck, unsettled, violations, windows, endings } = this;
    const states = table.size;
    const capped = table.size > cap;
    const found = { violations, windows, endings };
    return { states, steps, ends, capped, apart, longestCheck, unsettled, ...found };
  }

  /** Code that merely crashes has not been judged. */
  private isGuilty = (): boolean => [...this.violations.keys()].some((key) => key !== 'THREW');

  /** Did it merge pasts of an operation that do not go on alike? */
  hasMisjudged = (): boolean => misjudgedMerge(this.transitions.replay) !== null;

  private stateAt = (index: number): State => this.transitions.stateOf(this.table.row(index));

  private take(successor: Successor, from: number): void {
    this.steps++;
    const { notes, outcome, actor } = successor;
    for (const note of notes) this.note(note, from, successor);
    if (actor.role === 'check' && outcome !== null) {
      this.longestCheck = Math.max(this.longestCheck, outcome.point.depth + 1);
      const { ending } = outcome.arrival;
      if (ending !== null && answerOf(ending).unreadable === 'unsettled') this.unsettled++;
    }
    this.enter(successor.state, from);
  }

  private enter(state: State, from: number): void {
    const index = this.table.add(this.transitions.rowOf(state), from);
    if (index < 0) return;
    const { world, kept, points, extra } = state;
    const over = points.every(({ word }, at) => word !== null || (extra.killed >> at) & 1);
    for (const fault of this.judge.faults(world, kept, over)) this.note(fault, index);
    if (!over) return;
    this.ends++;
    const words = points.map(({ word }, at) => ((extra.killed >> at) & 1 ? 'killed' : word!));
    const ending = words.join(', ');
    this.endings.set(ending, (this.endings.get(ending) ?? 0) + 1);
    const fault = this.setting.faultOfEnd?.(words) ?? null;
    if (fault !== null) this.note(fault, index);
  }

  private note({ breaks, text }: Fault, index: number, last?: Successor): void {
    const window = breaks === 'window';
    const findings = window ? this.windows : this.violations;
    const key = window ? text : breaks;
    const finding = findings.get(key);
    if (finding !== undefined) finding.count++;
    else {
      const steps = last === undefined ? [] : [labelOf(last)];
      findings.set(key, { count: 1, text, trace: [...this.traceTo(index), ...steps] });
    }
  }

  private traceTo(index: number): string[] {
    const parent = this.table.parent(index);
    if (parent < 0) return [];
    const row = String(this.table.row(index));
    const step = this.transitions
      .successors(this.stateAt(parent))
      .find(({ state }) => String(this.transitions.rowOf(state)) === row)!;
    return [...this.traceTo(parent), labelOf(step)];
  }
}
