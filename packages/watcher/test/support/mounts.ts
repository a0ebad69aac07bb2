/**
 * File systems mounted for one test and unmounted afterwards. Linux, and root.
 */

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mountsMissing, run } from '../../../../test/support/mounts.ts';
import { needs } from '../../../../test/support/needs.ts';

/** Skips the tests of a group out loud where nothing can be mounted. */
export const needsMounts = (): void => needs(mountsMissing);

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
