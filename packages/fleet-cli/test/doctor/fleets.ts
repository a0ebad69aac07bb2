/**
 * Fleets that something is wrong with, and what `fleet doctor` finds of it.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, Fleet, RunOptions } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';

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
  return examinationOf(code, document);
}

/** The same while this process goes on, so that it may serve what is asked for. */
export async function examineMeanwhile(fleet: Fleet): Promise<Examination> {
  const live = startFleet(['doctor', '--json', '--root', fleet.root]);
  const { code } = await live.ended;
  return examinationOf(code, JSON.parse(live.stdout()));
}

const examinationOf = (code: number | null, document: Document): Examination => ({
  code,
  document,
  found: (check) =>
    document.findings.filter(
      (finding: Document) => finding.check === check && finding.level !== 'ok',
    ),
});

/** Examines until something of this kind is found, since no event tells when it can be. */
export async function untilFound(fleet: Fleet, check: string): Promise<Examination> {
  for (;;) {
    const examination = await examineMeanwhile(fleet);
    if (examination.found(check).length > 0) return examination;
  }
}

export const profileOf = (fleet: Fleet, lane: string): string =>
  join(fleet.folder(lane), 'profile.yaml');

export function expectGateway(fleet: Fleet, lane: string, expected = true): void {
  writeFileSync(profileOf(fleet, lane), `version: 1\ngateway: {expected: ${expected}}\n`);
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
