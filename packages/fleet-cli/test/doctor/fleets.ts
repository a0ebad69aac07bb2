/**
 * Fleets that something is wrong with, and what `fleet doctor` finds of it.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, Fleet, RunOptions } from '../support/fleet.ts';

export interface Examination {
  readonly code: number | null;
  readonly document: Document;
  /** Findings of one kind, without those that all is well. */
  found(check: string): Document[];
}

export function examine(
  fleet: Fleet,
  words: readonly string[] = [],
  options?: RunOptions,
): Examination {
  const { code, document } = fleet.json(['doctor', ...words], options);
  return {
    code,
    document,
    found: (check) =>
      document.findings.filter(
        (finding: Document) => finding.check === check && finding.level !== 'ok',
      ),
  };
}

/** Everything about every entry that a write would change. */
export function snapshotOf(folder: string): unknown[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path, { bigint: true });
      const { ino, mode, size, mtimeNs, ctimeNs } = stats;
      const content = stats.isFile()
        ? readFileSync(path, 'latin1')
        : stats.isSymbolicLink()
          ? readlinkSync(path)
          : null;
      return { name, ino, mode, size: stats.isDirectory() ? 0n : size, mtimeNs, ctimeNs, content };
    });
}
