/**
 * The ways in which one actor's next call can turn out in one world: files and actor, without the
 * specification. Remembered, since the same call in the same world is met in many states.
 */
import { folderOfCall, landing } from './late-calls.ts';
import type { PosixModel } from './posix-model.ts';
import type { Draft, Request, Result, World } from './posix-world.ts';
import type { Arrival, Foresight, Point, Replay } from './replay.ts';
import { isSilent, type Judged } from './specification.ts';

export interface Outcome {
  readonly point: Point;
  readonly request: Request;
  readonly result: Result;
  readonly before: World;
  readonly after: World;
  readonly arrival: Arrival;
  /** It failed, though nothing in this world is the reason. */
  readonly fails: boolean;
  /**
   * What the specification said of it, by the record before: it has nothing else to go by. null: it
   * need not be asked.
   */
  readonly judged: Map<number, Judged> | null;
}

/** Entries kept at a time; a bound on memory alone. */
const KEPT = 1_500_000;
const CREATES = new Set(['mkdir', 'write', 'link']);
/** No system calls, or calls that cannot fail. */
const SAFE = new Set(['now', 'stale', 'names']);

/** Which calls of an operation may fail: none, those that need space, or all of them. */
export type Failing = 'nothing' | 'space' | 'anything';

export class Outcomes {
  private readonly model: PosixModel;
  private readonly replay: Replay;
  private readonly options: { readonly failing: Failing; readonly plain: boolean };
  /** By point: by world, and the folder that the call has walked into. */
  private known: Map<number | string, readonly Outcome[]>[] = [];
  private count = 0;

  constructor(model: PosixModel, replay: Replay, options: { failing: Failing; plain: boolean }) {
    this.model = model;
    this.replay = replay;
    this.options = options;
  }

  /** `walked`: the folder that the call has already walked into. */
  of(point: Point, world: World, walked: string | undefined): readonly Outcome[] {
    this.known[point.id] ??= new Map();
    const known = this.known[point.id]!;
    const key = walked === undefined ? world.id : `${world.id} ${walked}`;
    let outcomes = known.get(key);
    if (outcomes === undefined) {
      const request = point.request!;
      outcomes = this.compute(
        point,
        world,
        walked === undefined ? request : landing(world, request, folderOfCall(request)!, walked),
      );
      if (++this.count > KEPT) {
        this.known = [];
        this.count = 0;
      } else known.set(key, outcomes);
    }
    return outcomes;
  }

  private compute(point: Point, world: World, request: Request): readonly Outcome[] {
    const [op, path, mode] = request;
    const outcome = (after: World, result: Result, fails = false): Outcome => {
      const arrival = this.replay.after(point, result, this.foresight(after));
      const closed = this.close(after, arrival.closes);
      const silent = arrival.ending === null && isSilent({ actor: point.actor, request, result });
      const judged = silent ? null : new Map<number, Judged>();
      return { point, request, result, before: world, after: closed, arrival, fails, judged };
    };
    if (op === 'stale') {
      const indifferent = point.actor.forces && !this.options.plain;
      return (indifferent ? [true] : [true, false]).map((value) => outcome(world, { value }));
    }
    const reply = this.model.call(world, request, point.fresh);
    const usual = outcome(reply.world, reply.result);
    const code = this.failureOf(point, op, mode);
    // What fails anyway fails for its own reason; but a look at nothing may fail instead.
    if (code === null || ('code' in reply.result && code === 'ENOSPC')) return [usual];
    const torn = op === 'write' ? this.model.tear(world, path) : world;
    return [usual, outcome(torn, { code }, true)];
  }

  /** What an operation sees that goes on from this world alone. Which owner is dead, nobody foresees. */
  private foresight(from: World): Foresight {
    const { names, inodes, handles, now } = from;
    const world: Draft = { names, inodes, handles, now };
    // Handles stay open here: that one keeps a file alive makes no difference to any answer.
    return (request, fresh) =>
      request[0] === 'stale' ? null : this.model.change(world, request, fresh);
  }

  private close = (world: World, closes: readonly string[]): World =>
    closes.length === 0 ? world : this.model.close(world, (handle) => closes.includes(handle));

  /** The errno with which this call may fail; null: it may not. */
  private failureOf({ actor }: Point, op: string, mode: string): string | null {
    if (actor.role === 'foreign' || SAFE.has(op)) return null;
    if (this.options.failing === 'anything') return 'EIO';
    const creates = CREATES.has(op) || (op === 'open' && mode === 'wx');
    const mayFail = this.options.failing === 'space' && actor.role === 'library' && creates;
    return mayFail ? 'ENOSPC' : null;
  }
}
