/**
 * Mounts without notices, for one test. Linux with FUSE, and root.
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';

/** Skips the tests of a group out loud where there is no FUSE. */
export function needsFuse(): void {
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
}

/** Shows in `at` what is in `folder`, for reading. Unmounted when the test has finished. */
export async function mountFuse(folder: string, at: string): Promise<void> {
  const script = await bundleFile(fileURLToPath(new URL('fuse-process.ts', import.meta.url)));
  const child = fork(script, [folder, at]);
  onTestFinished(() => {
    run('umount', '--lazy', at);
    child.kill('SIGKILL');
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the FUSE mount did not come about');
  });
  await Promise.race([once(child, 'message'), ended]);
  // It ends with its test, which nobody waits for here.
  ended.catch(() => {});
}

const run = (command: string, ...words: readonly string[]) => spawnSync(command, words);

const missing = probe();

function probe(): string | undefined {
  if (process.platform !== 'linux') return 'FUSE is tested on Linux only';
  if (process.getuid?.() !== 0) return 'only root mounts without a helper';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return /\bfuse$/m.test(readFileSync('/proc/filesystems', 'utf8'))
      ? undefined
      : 'this kernel has no FUSE';
  } catch (error) {
    return `no FUSE here: ${(error as Error).message}`;
  }
}
