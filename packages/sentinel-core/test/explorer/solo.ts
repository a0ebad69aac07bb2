/**
 * Runs an operation to its end in one world, alone: everybody else is dead, and looks dead.
 */
import { ModelDisk } from './model-disk.ts';
import type { PosixModel } from './posix-model.ts';
import { type Draft, Errno, type Op, type Value, type World } from './posix-world.ts';

class SoloDisk extends ModelDisk {
  /** Not kept among the worlds of the model: nobody comes back to it. */
  readonly world: Draft;
  private readonly model: PosixModel;
  private calls = 0;
  private tokens = 0;

  constructor(model: PosixModel, { names, inodes, now }: World) {
    super();
    this.model = model;
    // The dead have no handles.
    this.world = { names, inodes, handles: {}, now };
  }

  token = () => `solo${this.tokens++}`;
  close = () => {};

  protected call(op: Op, path = '', argument = ''): Value {
    if (op === 'stale') return true;
    const result = this.model.change(this.world, [op, path, argument], `solo${this.calls++}`);
    if ('code' in result) throw Errno.of(result.code);
    return result.value;
  }
}

export interface SoloRun<T> {
  readonly world: Readonly<Draft>;
  /** null: it threw. */
  readonly value: T | null;
  /** It threw this, and it is no errno. */
  readonly bug?: string;
}

export function runAlone<T>(
  model: PosixModel,
  world: World,
  operation: (disk: ModelDisk) => T,
): SoloRun<T> {
  const disk = new SoloDisk(model, world);
  try {
    const value = operation(disk);
    return { world: disk.world, value };
  } catch (error) {
    const { world } = disk;
    return error instanceof Errno
      ? { world, value: null }
      : { world, value: null, bug: String(error) };
  }
}
