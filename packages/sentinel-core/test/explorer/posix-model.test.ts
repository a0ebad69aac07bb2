/**
 * The model against the kernel: the same calls, and the same answers, up to the numbering of inodes.
 */
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PosixModel } from './posix-model.ts';
import type { Request, Result } from './posix-world.ts';

const PATHS = ['ESTOP', 'tmp', 'txn', 'txn/a', 'txn/b', 'txn/a/new', 'txn/a/prev', 'txn/b/new'];
const ONE_PATH = [
  'lstat',
  'readdir',
  'mkdir',
  'rmdir',
  'unlink',
  'touch',
  'write',
  'read',
] as const;

interface Call {
  readonly does: (typeof ONE_PATH)[number] | 'link' | 'rename';
  readonly path: string;
  readonly target: string;
}

const path = fc.constantFrom(...PATHS);
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ does: fc.constantFrom(...ONE_PATH), path, target: fc.constant('') }),
  fc
    .record({ does: fc.constantFrom('link' as const, 'rename' as const), path, target: path })
    // A folder is never moved into itself, or onto the folder that it lies in.
    .filter((two) => !`${two.target}/`.startsWith(`${two.path}/`))
    .filter((two) => !`${two.path}/`.startsWith(`${two.target}/`)),
);

const FLAGS = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  wx: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

/** One call on the real file system, or on the model, as a text that can be compared. */
type Perform = (call: Call, text: string) => unknown;

function onKernel(folder: string): Perform {
  const at = (relative: string) => join(folder, relative);
  const withFile = <T>(relative: string, mode: keyof typeof FLAGS, act: (fd: number) => T): T => {
    const fd = openSync(at(relative), FLAGS[mode]);
    try {
      return act(fd);
    } finally {
      closeSync(fd);
    }
  };
  const acts: Record<Call['does'], (call: Call, text: string) => unknown> = {
    lstat({ path: relative }) {
      const stats = lstatSync(at(relative), { throwIfNoEntry: false });
      return stats === undefined ? null : stats.isDirectory() ? 'dir' : 'file';
    },
    readdir: (one) => readdirSync(at(one.path)).sort(),
    mkdir: (one) => mkdirSync(at(one.path)),
    rmdir: (one) => rmdirSync(at(one.path)),
    unlink: (one) => unlinkSync(at(one.path)),
    touch: (one) => withFile(one.path, 'wx', () => undefined),
    write: (one, text) => withFile(one.path, 'r+', (fd) => void writeSync(fd, text, 0)),
    read: (one) => withFile(one.path, 'r', (fd) => readFileSync(fd, 'utf8')),
    link: (two) => linkSync(at(two.path), at(two.target)),
    rename: (two) => renameSync(at(two.path), at(two.target)),
  };
  return (one, text) => {
    try {
      return acts[one.does](one, text) ?? null;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
}

function onModel(): Perform {
  const model = new PosixModel();
  let world = model.initial({}, {});
  let calls = 0;
  const ask = (request: Request): Result => {
    const reply = model.call(world, request, `i${calls++}`);
    world = reply.world;
    return reply.result;
  };
  const withFile = (relative: string, mode: string, act: (handle: string) => Result): Result => {
    const opened = ask(['open', relative, mode]);
    if ('code' in opened) return opened;
    const result = act(opened.value as string);
    world = model.close(world, () => true);
    return result;
  };
  const answer = ({ does, path: relative, target }: Call, text: string): Result => {
    if (does === 'touch') return withFile(relative, 'wx', () => ({ value: null }));
    if (does === 'write') return withFile(relative, 'r+', (handle) => ask(['write', handle, text]));
    if (does === 'read') return withFile(relative, 'r', (handle) => ask(['read', handle, '']));
    return ask([does, relative, target]);
  };
  return (one, text) => {
    const result = answer(one, text);
    if ('code' in result) return result.code;
    const { value } = result;
    return one.does === 'lstat' && value !== null ? (value as { kind: string }).kind : value;
  };
}

it('answers every call as the kernel does', () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 5, maxLength: 60 }), (calls) => {
      const folder = mkdtempSync(join(tmpdir(), 'posix-model-'));
      try {
        const kernel = onKernel(folder);
        const model = onModel();
        for (const [at, one] of calls.entries()) {
          const text = `text ${at}`;
          expect([one, model(one, text)]).toEqual([one, kernel(one, text)]);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 400, seed: 7 },
  );
});
