/**
 * Reads the receipts of a home: what its holds have refused.
 * The files are hostile input: reading is bounded, follows no link and never waits. The line format is
 * `receipt.ts`.
 */
import { lstatSync } from 'node:fs';
import { readLines, segmentsOf } from '@fleet-estop/sentinel-core';
import { type Receipt, receiptOf } from './receipt.ts';
import { receiptsPath } from './write-receipts.ts';

export interface ReadReceiptsOptions {
  /** Milliseconds since the epoch; older receipts are skipped. Default: none. */
  readonly sinceMs?: number;
  /** Return at most this many, the newest ones; the others are counted in `older`. Default: all. */
  readonly most?: number;
}

export interface Receipts {
  /** In the order in which they were written, newest last. */
  readonly receipts: readonly Receipt[];
  /** Number of receipts since `sinceMs` that are left out because of `most`. */
  readonly older: number;
  /** true if receipts since `sinceMs` may have been rotated away. */
  readonly pruned?: true;
  /** Number of lines that are not receipts. */
  readonly corrupt: number;
  /** `<file>: <errno, not-a-file, too-large or too-many>`. If set, there may be more receipts. */
  readonly unreadable?: string;
}

/** More than our writers leave. A late line can make a file longer than the rotation limit. */
const BOUNDS = { maxBytes: 4 * 1024 * 1024, maxFiles: 16 };

/** Reads receipts, oldest first; none if nothing was refused or there is no home. Throws no errno. */
export function readReceipts(
  home: string,
  { sinceMs = -Infinity, most = Infinity }: ReadReceiptsOptions = {},
): Receipts {
  let receipts: Receipt[] = [];
  let older = 0;
  let corrupt = 0;
  let unreadable: string | undefined;
  let isWhole = false;
  const forget = (): void => {
    const excess = Math.max(0, receipts.length - most);
    older += excess;
    receipts = receipts.slice(excess);
  };
  for (const read of readLines(receiptsPath(home), receiptOf, { ...BOUNDS, sinceMs })) {
    if (read.kind === 'corrupt') corrupt += 1;
    else if (read.kind === 'unreadable') unreadable ??= `${read.file}: ${read.why}`;
    else if (read.record.atMs >= sinceMs) receipts.push(read.record);
    else isWhole = true;
    // Not at each receipt, which would copy the list each time.
    if (receipts.length > 2 * most + 100) forget();
  }
  forget();
  return {
    receipts,
    older,
    corrupt,
    ...(isWhole || !isPruned(receiptsPath(home), sinceMs) ? {} : { pruned: true }),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

/** Rotated files are numbered from 1 and the oldest are removed. */
function isPruned(path: string, sinceMs: number): boolean {
  try {
    const [oldest] = segmentsOf(path);
    if (oldest === undefined || oldest.number === 1) return false;
    const stats = lstatSync(oldest.path, { throwIfNoEntry: false });
    return stats === undefined || stats.mtimeMs >= sinceMs;
  } catch {
    // The folder is missing, or was already reported as unreadable.
    return false;
  }
}
