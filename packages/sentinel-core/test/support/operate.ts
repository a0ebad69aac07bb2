/**
 * Does disk operations for another process, one message each, and answers with what came of them.
 * Who starts it, and as whom, is `other-process.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { recover } from '../../src/disk/recover.ts';
import type { ArmRequest, LiftSelection } from '../../src/disk/results.ts';
import { retire } from '../../src/disk/retire.ts';
import { appendJournal, type JournalEntry } from '../../src/files/journal.ts';
import { readJournal } from '../../src/files/journal-read.ts';
import type { Rotation } from '../../src/files/line-rotation.ts';
import { recognizeRoot } from '../../src/fleet/recognize.ts';

const disk = nodeDisk();

const operations = {
  check: (dir: string) => check(disk, dir),
  arm: (dir: string, request: ArmRequest) => arm(disk, dir, request),
  lift: (dir: string, selection: LiftSelection) => lift(disk, dir, selection),
  retire: (dir: string) => retire(disk, dir),
  recover: (dir: string) => recover(disk, dir, { force: true }),
  appendJournal,
  appendJournals: (root: string, entries: readonly JournalEntry[], rotation: Rotation) =>
    entries.map((entry) => appendJournal(root, entry, Date.now(), rotation)),
  readJournal: (root: string) => [...readJournal(root)],
  recognizeRoot,
};

export type Operations = typeof operations;

export interface Question {
  readonly operation: keyof Operations;
  readonly args: readonly unknown[];
}

/**
 * What an operation cost: milliseconds of processor time (which a busy machine does not stretch), peak
 * memory so far, and files that are open now.
 */
export interface Cost {
  readonly cpuMs: number;
  readonly growthKb: number;
  readonly openFiles: number;
}

export type Answer = { readonly cost: Cost } & (
  | { readonly value: unknown }
  | { readonly thrown: string }
);

process.umask(Number.parseInt(process.argv[2] ?? '022', 8));
const before = peakKb();

process.on('message', ({ operation, args }: Question) => {
  const begun = process.cpuUsage();
  const answer = answerTo(operation, args);
  const { user, system } = process.cpuUsage(begun);
  const cost: Cost = {
    cpuMs: (user + system) / 1_000,
    growthKb: peakKb() - before,
    openFiles: openFiles(),
  };
  process.send?.({ ...answer, cost });
});

/** Linux remembers in `ru_maxrss` what the parent had; `VmHWM` is this program's alone. */
function peakKb(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
}

function openFiles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

function answerTo(
  operation: keyof Operations,
  args: readonly unknown[],
): { value: unknown } | { thrown: string } {
  try {
    const run = operations[operation] as (...args: readonly unknown[]) => unknown;
    return { value: run(...args) };
  } catch (error) {
    return { thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
