/**
 * From one state to the next: the step of one actor, or its death.
 * In which order states are taken up is `explore.ts`.
 */

import type { Actor } from './actor.ts';
import { type Extra, Extras, omit } from './extras.ts';
import { hasBit, type Notes, type Step } from './ghost.ts';
import { folderOfCall, strandedBy } from './late-calls.ts';
import { type Failing, type Outcome, Outcomes } from './outcomes.ts';
import { endWatch, watchStep } from './overlap.ts';
import { PosixModel } from './posix-model.ts';
import { type Content, linkedBy, type World } from './posix-world.ts';
import { aloneIn } from './reduction.ts';
import { type Point, Replay } from './replay.ts';
import { type Judged, type Kept, Specification } from './specification.ts';

export interface State {
  readonly world: World;
  readonly kept: Kept;
  readonly extra: Extra;
  readonly points: readonly Point[];
}

export interface Successor {
  readonly state: State;
  readonly notes: Notes;
  readonly actor: Actor;
  /** null: the actor was killed, or only walked to a folder. */
  readonly outcome: Outcome | null;
}

export interface TransitionOptions {
  /**
   * How many actors may be killed as a step of its own. None need be: who takes no further step is dead,
   * and every state is judged as if everybody died in it.
   */
  readonly kills: number;
  /** How many calls may fail. */
  readonly failures: number;
  readonly failing: Exclude<Failing, 'nothing'>;
  readonly linksRefused: boolean;
  /** System calls land late: see `late-calls.ts`. */
  readonly lateCalls: boolean;
  /** No reduction and no merging; slow. */
  readonly plain: boolean;
  /** Rounds of an operation are not merged: see `rounds.ts`. */
  readonly apart?: boolean;
}

const NO_NOTES: Notes = [];

export class Transitions {
  readonly model: PosixModel;
  readonly replay: Replay;
  private readonly specification: Specification;
  private readonly outcomes: Outcomes;
  private readonly extras = new Extras();
  private readonly options: TransitionOptions;

  constructor(options: TransitionOptions, actors: readonly Actor[]) {
    const { plain, apart = plain, failures, failing, linksRefused } = options;
    this.options = options;
    this.model = new PosixModel({ noLinks: linksRefused });
    this.replay = new Replay({ merging: !plain, mergingRounds: !apart });
    this.specification = new Specification({
      merging: !plain,
      writesInPlace: actors.some((actor) => actor.writesInPlace),
    });
    this.outcomes = new Outcomes(this.model, this.replay, {
      plain,
      failing: failures > 0 ? failing : 'nothing',
    });
  }

  initial(files: Readonly<Record<string, Content>>, actors: readonly Actor[]): State {
    const paths = Object.keys(files);
    const inoOf = (path: string) => `i${paths.indexOf(linkedBy(files[path]!) ?? path)}`;
    const names = Object.fromEntries(paths.map((path) => [path, inoOf(path)]));
    const inodes = Object.fromEntries(
      paths
        .filter((path) => linkedBy(files[path]!) === null)
        .map((path) => [inoOf(path), files[path]!]),
    );
    const world = this.model.initial(names, inodes);
    const points = actors.map((actor) => this.replay.start(actor));
    return { world, kept: this.specification.initial(world), extra: this.extras.initial(), points };
  }

  rowOf = ({ world, kept, extra, points }: State): number[] => [
    world.id,
    kept.id,
    extra.id,
    ...points.map(({ id }) => id),
  ];

  stateOf([world, kept, extra, ...points]: readonly number[]): State {
    return {
      world: this.model.byId(world!),
      kept: this.specification.byId(kept!),
      extra: this.extras.byId(extra!),
      points: points.map((id) => this.replay.byId(id)),
    };
  }

  successors(state: State): Successor[] {
    const found: Successor[] = [];
    const alone = this.options.plain ? -1 : this.aloneIn(state);
    for (const [index, point] of state.points.entries()) {
      if (point.request === null || hasBit(state.extra.killed, index)) continue;
      if (alone >= 0 && alone !== index) continue;
      const walked = this.options.plain ? this.walk(state, point) : null;
      if (walked !== null) found.push(walked);
      else this.step(state, point, found);
      if (alone < 0 && this.mayDie(state, point)) found.push(this.kill(state, point));
    }
    return found;
  }

  private aloneIn({ world, points, extra }: State): number {
    const stranded = Object.keys(extra.walks).reduce((mask, index) => mask | (1 << +index), 0);
    return aloneIn({ world, points, stranded, linksRefused: this.options.linksRefused });
  }

  private mayDie({ extra }: State, { actor, begun }: Point): boolean {
    return begun && actor.role === 'library' && bitsIn(extra.killed) < this.options.kills;
  }

  private kill(state: State, { actor }: Point): Successor {
    const { index } = actor;
    const killed = state.extra.killed | (1 << index);
    const extra = this.extras.with(state.extra, { killed, walks: omit(state.extra.walks, index) });
    const common = { notes: NO_NOTES, actor, outcome: null };
    if (this.options.plain) return { ...common, state: { ...state, extra } };
    const world = this.model.close(state.world, (handle) => handle.startsWith(`i${actor.id}`));
    const kept = this.specification.killed(state.kept, index);
    const points = withPoint(state.points, this.replay.killed(actor));
    return { ...common, state: { world, kept, extra, points } };
  }

  /** The kernel has resolved the folder, and has not acted yet: a step of its own, where nothing is reduced. */
  private walk(state: State, point: Point): Successor | null {
    const { actor, request } = point;
    const { walks } = state.extra;
    if (!this.options.lateCalls || actor.index in walks) return null;
    const folder = folderOfCall(request!);
    const ino = folder === null ? undefined : state.world.names[folder];
    if (ino === undefined) return null;
    const extra = this.extras.with(state.extra, { walks: { ...walks, [actor.index]: ino } });
    return { state: { ...state, extra }, notes: NO_NOTES, actor, outcome: null };
  }

  private step(state: State, point: Point, found: Successor[]): void {
    const { extra, kept: before } = state;
    const { actor } = point;
    for (const outcome of this.outcomesOf(state, point)) {
      const { arrival, after: world } = outcome;
      const failures = extra.failures + (outcome.fails ? 1 : 0);
      if (failures > this.options.failures) continue;
      const { kept, notes } = this.judge(before, outcome);
      const more: Notes = [];
      const forces = [before.ghost.inForce, kept.ghost.inForce] as const;
      const watches = watchStep(extra.watches, point, ...forces);
      const left = endWatch(watches, point, arrival, more);
      const walks = this.walksAfter(state, actor, outcome);
      const same = failures === extra.failures && left === extra.watches && walks === extra.walks;
      const next = same ? extra : this.extras.with(extra, { failures, walks, watches: left });
      const bug = arrival.ending?.bug;
      if (bug !== undefined) more.push({ breaks: 'THREW', text: bug });
      found.push({
        state: { world, kept, extra: next, points: withPoint(state.points, arrival.point) },
        notes: more.length === 0 ? notes : [...notes, ...more],
        actor,
        outcome,
      });
    }
  }

  /**
   * Where the folder was moved since the last step, the call may have resolved it before or after that.
   * Where it was not, that makes no difference, so nothing but the move has to be remembered.
   */
  private outcomesOf({ world, extra }: State, point: Point): readonly Outcome[] {
    const walked = extra.walks[point.actor.index];
    const landing = this.outcomes.of(point, world, walked);
    if (walked === undefined || this.options.plain) return landing;
    return [...this.outcomes.of(point, world, undefined), ...landing];
  }

  private walksAfter({ points, extra }: State, actor: Actor, { before, after }: Outcome) {
    const own = omit(extra.walks, actor.index);
    if (!this.options.lateCalls || this.options.plain) return own;
    return strandedBy(own, { points, actor, before, after });
  }

  private judge(kept: Kept, outcome: Outcome): Judged {
    if (outcome.judged === null) return { kept, notes: NO_NOTES };
    let judged = outcome.judged.get(kept.id);
    if (judged === undefined) {
      judged = this.specification.step(kept, this.stepOf(outcome), outcome.arrival.ending);
      outcome.judged.set(kept.id, judged);
    }
    return judged;
  }

  private stepOf({ request, result, before, after, point }: Outcome): Step {
    const { actor, memory } = point;
    const { linksRefused, failing } = this.options;
    const anythingFails = failing === 'anything';
    return { actor, memory, request, result, before, after, linksRefused, anythingFails };
  }
}

/** That actor is at this point now. */
function withPoint(points: readonly Point[], point: Point): readonly Point[] {
  const moved = points.slice();
  moved[point.actor.index] = point;
  return moved;
}

function bitsIn(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
}
