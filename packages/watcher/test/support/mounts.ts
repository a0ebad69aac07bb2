/**
 * File systems mounted for one test and unmounted afterwards. Linux, and root.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';

/** Skips the tests of a group out loud where nothing can be mounted. */
export function needsMounts(): void {
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
}

/** Answers how to unmount it before the test is over. */
export function mountTmpfs(dir: string): () => void {
  run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir);
  return unmounting(dir);
}

export function mountOverlay(dir: string, lower: string, upper: string, work: string): () => void {
  const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  run('mount', '-t', 'overlay', '-o', layers, 'overlay', dir);
  return unmounting(dir);
}

/**
 * An ext4 as old ones are: its clock ticks once a second, it keeps no birth times, and it gives the
 * number of a removed folder to the next one at once.
 */
export function mountCoarse(dir: string): () => void {
  const image = join(mkdtempSync(join(tmpdir(), 'fleet-image-')), 'ext4');
  onTestFinished(() => rmSync(dirname(image), { recursive: true }));
  writeFileSync(image, '');
  truncateSync(image, 4 * 1024 * 1024);
  run('mkfs.ext4', '-q', '-I', '128', image);
  run('mount', '-o', 'loop', image, dir);
  return unmounting(dir);
}

/** Nothing can be made in it any more. */
export function closeForWriting(dir: string): void {
  run('mount', '-o', 'remount,ro', dir);
}

function unmounting(dir: string): () => void {
  let mounted = true;
  const unmount = () => {
    if (mounted) run('umount', '--lazy', dir);
    mounted = false;
  };
  onTestFinished(unmount);
  return unmount;
}

const missing = probe();

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

function run(command: string, ...words: string[]): void {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr.trim()}`);
}
