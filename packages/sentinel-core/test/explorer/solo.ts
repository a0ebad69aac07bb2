/**
 * Runs an operation to its end in one world, alone: everybody else is dead, and looks dead.
 * Closing the handles of the dead is the caller's affair.
 */
import { ModelDisk } from './model-disk.ts';
import type { PosixModel } from './posix-model.ts';
import { Errno, type Op, type Value, type World } from './posix-world.ts';

class SoloDisk extends ModelDisk {
  world: World;
  private readonly model: PosixModel;
  private calls = 0;
  private tokens = 0;

  constructor(model: PosixModel, world: World) {
    super();
    this.model = model;
    this.world = world;
  }

  token = () => `solo${this.tokens++}`;
  close = () => {};

  protected call(op: Op, path = '', argument = ''): Value {
    if (op === 'stale') return true;
    const { world, result } = this.model.call(
      this.world,
      [op, path, argument],
      `solo${this.calls++}`,
    );
    this.world = world;
    if ('code' in result) throw Errno.of(result.code);
    return result.value;
  }
}

export interface SoloRun<T> {
  readonly world: World;
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
  const disk = new SoloDisk(
    model,
    model.close(world, () => true),
  );
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
