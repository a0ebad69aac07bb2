/**
 * Real folders to be scopes, removed when their test has finished.
 * What is put into them is `bodies.ts`; file systems of their own are `mounts.ts`.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new, empty folder of this very mode, whatever the umask. */
export const scopeDir = (mode = 0o755): string => newFolder(tmpdir(), mode);

/**
 * The same in memory, where there is such a file system: for tests of hundreds of writes that do not
 * ask what a disk is like, since each waits for its disk.
 */
export function scopeInMemory(): string {
  const memory = '/dev/shm';
  return newFolder(existsSync(memory) ? memory : tmpdir(), 0o755);
}

/** What lies in a scope beside its sentinel. */
export const besideSentinel = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name !== 'ESTOP')
    .sort();

function newFolder(base: string, mode: number): string {
  const dir = mkdtempSync(join(base, 'fleet-scope-'));
  chmodSync(dir, mode);
  onTestFinished(() => {
    chmodSync(dir, 0o700);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}
