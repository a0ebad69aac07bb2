/**
 * Real file systems that are full, read-only, or mounted over a sentinel. Linux, and root.
 * Whatever is mounted is unmounted when its test has finished.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Why nothing can be mounted here; undefined where it can. */
export const mountsMissing: string | undefined = probe();

/** A small file system in memory over `dir`. */
export function mountTmpfs(dir: string, options: string): void {
  mount(dir, '-t', 'tmpfs', '-o', options, 'tmpfs', dir);
}

/** Makes `over` show what `source` is. */
export function mountBind(source: string, over: string): void {
  mount(over, '--bind', source, over);
}

/** From now on nobody writes through this mount, root included. */
export function makeReadOnly(mountPoint: string): void {
  run('mount', '-o', 'remount,bind,ro', mountPoint);
}

function mount(at: string, ...words: string[]): void {
  run('mount', ...words);
  onTestFinished(() => run('umount', '--lazy', at));
}

function probe(): string | undefined {
  if (process.platform !== 'linux') return 'mounts are tested on Linux only';
  const dir = mkdtempSync(join(tmpdir(), 'fleet-probe-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', dir);
    run('umount', '--lazy', dir);
    return undefined;
  } catch (error) {
    return `this process may not mount: ${(error as Error).message}`;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export function run(command: string, ...words: string[]): void {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr.trim()}`);
}
