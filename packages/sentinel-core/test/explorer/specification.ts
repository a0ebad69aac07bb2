/**
 * Applies one step to the specification, and keeps records under numbers as worlds are kept.
 */
import {
  canonical,
  forgetActor,
  type Ghost,
  initialGhost,
  type Notes,
  noteChange,
  type Step,
  tick,
} from './ghost.ts';
import { finish } from './ghost-finish.ts';
import { foreignStep } from './ghost-foreign.ts';
import { libraryStep } from './ghost-library.ts';
import type { World } from './posix-world.ts';
import { SENTINEL } from './protocol.ts';
import type { Ending } from './tally.ts';

export interface Kept {
  readonly id: number;
  readonly ghost: Ghost;
}

export interface Judged {
  readonly kept: Kept;
  readonly notes: Notes;
}

export class Specification {
  private readonly byKey = new Map<string, Kept>();
  private readonly all: Kept[] = [];
  private readonly merging: boolean;
  private readonly writesInPlace: boolean;

  /**
   * `merging`: forget what no later step can need: of an actor that has ended its own part, and
   * which files were displaced, where nobody `writesInPlace`.
   */
  constructor({ merging, writesInPlace }: { merging: boolean; writesInPlace: boolean }) {
    this.merging = merging;
    this.writesInPlace = writesInPlace;
  }

  initial = (world: World): Kept => this.keep(initialGhost(world));

  byId(id: number): Kept {
    return this.all[id]!;
  }

  step(kept: Kept, step: Step, ending: Ending | null): Judged {
    const ghost = { ...kept.ghost };
    const notes: Notes = [];
    if (step.actor.role === 'foreign') {
      if (step.request[0] === 'tick') tick(ghost, step.after);
      else foreignStep(ghost, step, notes);
    } else libraryStep(ghost, step, notes);
    noteChange(ghost, step);
    if (ending === null) return { kept: this.after(kept, ghost), notes };
    finish(ghost, step, ending, notes);
    return { kept: this.after(kept, this.forget(ghost, step.actor.index)), notes };
  }

  /** An actor was killed. */
  killed(kept: Kept, index: number): Kept {
    return this.after(kept, this.forget(kept.ghost, index));
  }

  /** Most steps change nothing, and what is kept is canonical already. */
  private after(kept: Kept, ghost: Ghost): Kept {
    const fields = Object.keys(ghost) as (keyof Ghost)[];
    return fields.every((field) => ghost[field] === kept.ghost[field]) ? kept : this.keep(ghost);
  }

  private forget = (ghost: Ghost, index: number): Ghost =>
    this.merging ? forgetActor(ghost, index) : ghost;

  private keep(ghost: Ghost): Kept {
    const needed = this.merging && !this.writesInPlace ? { ...ghost, displaced: [] } : ghost;
    const wholly = canonical(needed);
    const key = JSON.stringify(wholly);
    let kept = this.byKey.get(key);
    if (kept === undefined) {
      kept = { id: this.all.length, ghost: wholly };
      this.byKey.set(key, kept);
      this.all.push(kept);
    }
    return kept;
  }
}

/** Can this step leave the specification as it is, whatever it was? Then it need not be asked. */
export function isSilent({
  actor,
  request,
  result,
}: Pick<Step, 'actor' | 'request' | 'result'>): boolean {
  if (actor.role === 'foreign') return false;
  const [op, path] = request;
  if (SILENT.has(op)) return path !== SENTINEL || op !== 'mkdir';
  return 'code' in result ? op !== 'write' : op === 'open' && path !== SENTINEL;
}

const SILENT = new Set(['lstat', 'readdir', 'mkdir', 'rmdir', 'now', 'stale', 'read', 'names']);
