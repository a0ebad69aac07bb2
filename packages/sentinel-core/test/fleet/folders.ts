/**
 * Temporary folders in which a fleet's shape is laid out.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A real path, removed when the test has finished. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-shape-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes the folder and those it is in; returns its path. */
export function folderAt(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The same for a root: it shows that it is one. */
export function rootAt(...parts: readonly string[]): string {
  const root = join(...parts);
  folderAt(root, 'profiles');
  return root;
}
