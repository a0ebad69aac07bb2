/**
 * How far each actor has got: a tree of points, each the state of one operation before its next
 * system call. Which actors there are is `catalogue.ts`.
 *
 * Where an operation cannot tell two pasts apart any more, they lead to one point:
 * - it has ended: only its answer is left;
 * - it was killed;
 * - it begins anew (`rounds.ts`): what it saw before is forgotten.
 */
import type { Actor } from './actor.ts';
import type { Request, Result } from './posix-world.ts';
import { isRemoval, SENTINEL } from './protocol.ts';
import { isBreak, type Numbering, ReplayDisk, type RunOn } from './replay-disk.ts';
import { forgetsAll } from './rounds.ts';
import { type Ending, wordFor } from './tally.ts';

export interface Point {
  readonly id: number;
  readonly actor: Actor;
  /** null: it has ended. */
  readonly request: Request | null;
  /** Answers since the operation, or its present round, began. */
  readonly depth: number;
  /** It has taken a step, in this round or before. */
  readonly begun: boolean;
  /** Names what its next call creates. */
  readonly fresh: string;
  readonly memory: Memory;
  /** Why it has ended: its answer in a word, or `killed`. */
  readonly word: string | null;
}

/** What the explorer notes of an operation's present round. */
export interface Memory {
  /** The inode that it last saw at the sentinel. */
  readonly looked: string | null;
  /** It took the sentinel out, for a lift. */
  readonly removed: boolean;
}

/** What an answer leads to. Several may lead to one point and yet end differently in detail. */
export interface Arrival {
  readonly point: Point;
  readonly ending: Ending | null;
  /** Handles closed on the way. */
  readonly closes: readonly string[];
}

export interface Past {
  readonly log: readonly Result[];
  readonly numberings: readonly Numbering[];
}

/** A past that was taken for the one that `point` was made from. */
export interface Merge {
  readonly past: Past;
  readonly point: Point;
}

/** What the call would be answered if nobody else took a step; null: that is not for us to say. */
export type Foresight = (request: Request, fresh: string) => Result | null;

/** An answer that has been given, and where it led. */
interface Taken {
  /** See `keyOf`. */
  readonly key: string;
  readonly result: Result;
  readonly arrival: Arrival;
}

/** The answers of a past from its end: pasts share their beginnings, and there are millions of them. */
interface Answered {
  readonly before: Answered | null;
  readonly result: Result;
}

interface Branch {
  readonly point: Point;
  readonly answers: Answered | null;
  readonly numberings: readonly Numbering[];
  /** Few: most points have one. */
  readonly arrivals: Taken[];
}

/** An operation that has been answered up to here. */
interface Reached {
  readonly actor: Actor;
  readonly past: Past;
  /** The same answers, as `Branch` keeps them. */
  readonly answers: Answered | null;
}

const FIRST_ROUND: Numbering = { from: 0, round: 0 };
const NOTHING: Memory = { looked: null, removed: false };

export class Replay {
  /** Enough of them to test the claim of `rounds.ts`. */
  readonly merges: Merge[] = [];
  private readonly branches: Branch[] = [];
  private readonly unique = new Map<string, Point>();
  private readonly merging: boolean;
  private readonly mergingRounds: boolean;

  constructor({ merging, mergingRounds }: { merging: boolean; mergingRounds: boolean }) {
    this.merging = merging;
    this.mergingRounds = mergingRounds;
  }

  start(actor: Actor): Point {
    const past = { log: [], numberings: [FIRST_ROUND] };
    return this.add({ actor, past, answers: null }, run(actor, past).disk.request, NOTHING);
  }

  byId(id: number): Point {
    return this.branches[id]!.point;
  }

  killed(actor: Actor): Point {
    return this.ended(actor, 'killed');
  }

  /**
   * Where this answer leads. To know that, the operation is run from its beginning; so it is then run on as
   * `foresee` answers it, and the points on that way are noted as well: they will be asked for.
   */
  after(from: Point, result: Result, foresee: Foresight = () => null): Arrival {
    const { arrivals } = this.branches[from.id]!;
    const key = keyOf(result);
    const known = () => arrivals.find((taken) => taken.key === key)?.arrival;
    const before = known();
    if (before !== undefined) return before;
    this.runOn(from, result, foresee);
    return known()!;
  }

  private runOn(from: Point, result: Result, foresee: Foresight): void {
    const { actor } = from;
    const { log, numberings } = this.pastOf(from);
    const begun = { log: [...log, result], numberings };
    let answers: Answered = { before: this.branches[from.id]!.answers, result };
    let [point, answer] = [from, result];
    let memory = remember(from, result);
    const arrive = (arrival: Arrival) =>
      this.branches[point.id]!.arrivals.push({ key: keyOf(answer), result: answer, arrival });
    const { disk, ending } = run(actor, begun, (at, request) => {
      // Where a round begins, it may be merged with another one.
      if (at.acquiring && at.acquisitions > 1) return null;
      const closes = [...at.closed];
      const now = { log: at.log, numberings };
      const foreseen = foresee(request, freshName(actor, now));
      if (foreseen === null) return null;
      const next = this.add({ actor, past: now, answers }, request, memory);
      arrive({ point: next, ending: null, closes });
      [point, answer] = [next, foreseen];
      answers = { before: answers, result: foreseen };
      memory = remember(next, foreseen);
      return foreseen;
    });
    const past = { log: disk.log, numberings };
    arrive(this.arrive({ actor, past, answers }, memory, { disk, ending }));
  }

  pastOf(point: Point): Past {
    const { answers, numberings } = this.branches[point.id]!;
    const log: Result[] = [];
    for (let at = answers; at !== null; at = at.before) log.push(at.result);
    return { log: log.reverse(), numberings };
  }

  /** The answers that have been given at this point, and where they led. */
  explored(point: Point): readonly Taken[] {
    return this.branches[point.id]!.arrivals;
  }

  private arrive(reached: Reached, memory: Memory, { disk, ending }: Run): Arrival {
    const { actor, past } = reached;
    const closes = disk.closed;
    if (ending !== null) {
      const word = wordFor(ending);
      const point = this.merging ? this.ended(actor, word) : this.add(reached, null, NOTHING, word);
      return { point, ending, closes };
    }
    if (this.mergingRounds && disk.acquiring && disk.acquisitions > 1) {
      if (!memory.removed && !disk.blunt && forgetsAll(actor, past.log)) {
        const point = this.beginsAnew(reached, disk.acquisitions);
        return { point, ending, closes };
      }
    }
    return { point: this.add(reached, disk.request, memory), ending, closes };
  }

  private beginsAnew({ actor, past, answers }: Reached, round: number): Point {
    const key = `${actor.id} round ${round}`;
    const renumbered = numberedAnew(past, round);
    const known = this.unique.get(key);
    if (known !== undefined) {
      if (this.merges.length < 1000) this.merges.push({ past: renumbered, point: known });
      return known;
    }
    const { request } = run(actor, renumbered).disk;
    const point = this.add({ actor, past: renumbered, answers }, request, NOTHING);
    this.unique.set(key, point);
    return point;
  }

  private ended(actor: Actor, word: string): Point {
    const key = `${actor.id} ${word}`;
    let point = this.unique.get(key);
    if (point === undefined) {
      const past = { log: [], numberings: [FIRST_ROUND] };
      point = this.add({ actor, past, answers: null }, null, NOTHING, word);
      this.unique.set(key, point);
    }
    return point;
  }

  private add(
    { actor, past, answers }: Reached,
    request: Request | null,
    memory: Memory,
    word: string | null = null,
  ): Point {
    const { from } = past.numberings.at(-1)!;
    const depth = past.log.length - from;
    const fresh = freshName(actor, past);
    const id = this.branches.length;
    const begun = past.log.length > 0;
    const point = { id, actor, request, depth, begun, fresh, memory, word };
    this.branches.push({ point, answers, numberings: past.numberings, arrivals: [] });
    return point;
  }
}

/** The same for equal answers, and for those alone: no other value is written with these beginnings. */
function keyOf(result: Result): string {
  if ('code' in result) return `!${result.code}`;
  const { value } = result;
  return typeof value === 'string' ? `"${value}` : JSON.stringify(value);
}

function freshName({ id }: Actor, { log, numberings }: Past): string {
  const { from, round } = numberings.at(-1)!;
  return `i${id}${round}.${log.length - from}`;
}

/** Names made after this past belong to the new round, so that they do not tell of the rounds before. */
const numberedAnew = ({ log, numberings }: Past, round: number): Past => ({
  log,
  numberings: [...numberings, { from: log.length, round }],
});

interface Run {
  readonly disk: ReplayDisk;
  readonly ending: Ending | null;
}

/** Runs an operation up to the first call that neither its past answers nor `runOn`. */
export function run(actor: Actor, { log, numberings }: Past, runOn?: RunOn): Run {
  const disk = new ReplayDisk(actor.id, log, numberings, runOn);
  try {
    return { disk, ending: { value: actor.run(disk) } };
  } catch (error) {
    if (isBreak(error)) return { disk, ending: null };
    const { code, stack } = error as { code?: unknown; stack?: string };
    if (typeof code === 'string') return { disk, ending: { value: { threw: code } } };
    return { disk, ending: { value: { threw: String(error) }, bug: stack ?? String(error) } };
  }
}

function remember({ request, memory }: Point, result: Result): Memory {
  if (request === null || 'code' in result) return memory;
  const [op, path, target] = request;
  if (path !== SENTINEL) return memory;
  if (op === 'lstat' && result.value !== null) {
    return { ...memory, looked: (result.value as { ino: string }).ino };
  }
  return op === 'rename' && isRemoval(target) ? { ...memory, removed: true } : memory;
}
