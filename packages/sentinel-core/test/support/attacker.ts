/**
 * A scope whose owner is somebody else, and a folder of root's that this owner wants to harm: root
 * runs the operations, and the owner puts links where root walks.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { NOBODY } from './other-process.ts';
import { scopeDir, scopeInMemory } from './scope-dir.ts';

/** Root may not be asked whether it lives, and no kernel gives out its number. */
export const DEAD = 'aaaaaaaa.4194305.dead.0';

/** Names that the protocol removes, moves or gives back inside a tenure, and one that it has not. */
const BAIT = [
  'precious',
  `new:${DEAD}:0`,
  `claimed:${DEAD}`,
  `lift:${DEAD}:1~empty`,
  `prev:${DEAD}:0:1~empty`,
];

/** A folder of root's, and what is in it. */
export interface Victim {
  readonly dir: string;
  /** Every name, mode, owner, number of names and content in it; compared before and after. */
  look(): unknown;
}

export function victim(): Victim {
  const dir = scopeDir(0o755);
  for (const name of BAIT) writeFileSync(join(dir, name), `of root: ${name}`, { mode: 0o600 });
  mkdirSync(join(dir, 'folder'), { mode: 0o700 });
  const look = () =>
    ['.', ...readdirSync(dir).sort()].map((name) => {
      const { mode, uid, nlink, ino } = lstatSync(join(dir, name));
      const text = mode & 0o040000 ? '' : readFileSync(join(dir, name), 'utf8');
      return [name, mode.toString(8), uid, nlink, ino, text];
    });
  return { dir, look };
}

/** A scope that belongs to NOBODY. In memory: for tests of hundreds of operations. */
export function theirScope(mode = 0o755, where: 'on-disk' | 'in-memory' = 'on-disk'): string {
  const dir = where === 'in-memory' ? scopeInMemory() : scopeDir();
  chownSync(dir, NOBODY, NOBODY);
  chmodSync(dir, mode);
  return dir;
}

/** A link of theirs. */
export function theirLink(target: string, path: string): void {
  symlinkSync(target, path);
  lchownSync(path, NOBODY, NOBODY);
}

/** A folder of theirs. */
export function theirFolder(path: string): void {
  mkdirSync(path);
  chownSync(path, NOBODY, NOBODY);
}

/** Runs a script as NOBODY until the test has finished. Resolves once it says that it is ready. */
export async function attack(script: string, ...words: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', script, ...words], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout!, 'data');
  return child;
}
