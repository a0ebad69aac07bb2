/**
 * The ways in which one actor's next call can turn out in one world: files and actor, without the
 * specification. Remembered, since the same call in the same world is met in many states.
 */
import { folderOfCall, landing } from './late-calls.ts';
import type { PosixModel } from './posix-model.ts';
import type { Request, Result, World } from './posix-world.ts';
import type { Arrival, Point, Replay } from './replay.ts';

export interface Outcome {
  readonly id: number;
  readonly point: Point;
  readonly request: Request;
  readonly result: Result;
  readonly before: World;
  readonly after: World;
  readonly arrival: Arrival;
  /** It failed for want of space. */
  readonly fails: boolean;
}

/** Entries kept at a time; a bound on memory alone. */
const KEPT = 4_000_000;
const CREATES = new Set(['mkdir', 'write', 'link']);

export class Outcomes {
  private readonly model: PosixModel;
  private readonly replay: Replay;
  private readonly options: { readonly mayFail: boolean; readonly plain: boolean };
  private readonly known = new Map<number, readonly Outcome[]>();
  private count = 0;

  constructor(model: PosixModel, replay: Replay, options: { mayFail: boolean; plain: boolean }) {
    this.model = model;
    this.replay = replay;
    this.options = options;
  }

  /** `walked`: the folder that the call has already walked into. */
  of(point: Point, world: World, walked: string | undefined): readonly Outcome[] {
    if (walked !== undefined) {
      const folder = folderOfCall(point.request!)!;
      return this.compute(point, world, landing(world, point.request!, folder, walked));
    }
    const key = point.id * 2 ** 27 + world.id;
    let outcomes = this.known.get(key);
    if (outcomes === undefined) {
      outcomes = this.compute(point, world, point.request!);
      if (this.known.size > KEPT) this.known.clear();
      this.known.set(key, outcomes);
    }
    return outcomes;
  }

  private compute(point: Point, world: World, request: Request): readonly Outcome[] {
    const [op, path, mode] = request;
    const outcome = (after: World, result: Result, fails = false): Outcome => {
      const arrival = this.replay.after(point, result);
      const closed = this.model.close(after, (handle) => arrival.closes.includes(handle));
      const id = this.count++;
      return { id, point, request, result, before: world, after: closed, arrival, fails };
    };
    if (op === 'stale') {
      const indifferent = point.actor.forces && !this.options.plain;
      return (indifferent ? [true] : [true, false]).map((value) => outcome(world, { value }));
    }
    const reply = this.model.call(world, request, point.fresh);
    const usual = outcome(reply.world, reply.result);
    const creates = CREATES.has(op) || (op === 'open' && mode === 'wx');
    const mayFail = this.options.mayFail && point.actor.role === 'library' && creates;
    if (!mayFail || 'code' in reply.result) return [usual];
    const torn = op === 'write' ? this.model.tear(world, path) : world;
    return [usual, outcome(torn, { code: 'ENOSPC' }, true)];
  }
}
