/**
 * Reads receipts back: what the holds of a home have refused.
 * The files are hostile until parsed: bounded, never followed through a link, never waited for.
 */
import { lstatSync } from 'node:fs';
import { readLines, segmentsOf } from '@fleet-estop/sentinel-core';
import { type Receipt, receiptOf } from './receipt.ts';
import { receiptsPath } from './write-receipts.ts';

export interface ReadReceiptsOptions {
  /** Older ones are passed over. Milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** Only so many of the newest are given back; the others are counted. Default: all. */
  readonly most?: number;
}

export interface Receipts {
  /** In the order in which they were written, the newest last. */
  readonly receipts: readonly Receipt[];
  /** Older ones, in the time that was asked for, which `most` left no place for. */
  readonly older: number;
  /** And still older ones, in that time, may have been removed: a home keeps only so many. */
  readonly pruned?: true;
  /** Lines that are no receipt. */
  readonly corrupt: number;
  /** `<file>: <errno, not-a-file, too-large or too-many>`: there may be more than was read. */
  readonly unreadable?: string;
}

/** More than our writers leave. A line that was begun late makes a file longer than it should be. */
const BOUNDS = { maxBytes: 4 * 1024 * 1024, maxFiles: 16 };

/** Nothing where nothing was refused, or no home is. Throws no errno. */
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
    // Not at each one: that would copy the list as often.
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

/** Files that are moved aside are numbered from 1, and the oldest are removed. */
function isPruned(path: string, sinceMs: number): boolean {
  try {
    const [oldest] = segmentsOf(path);
    if (oldest === undefined || oldest.number === 1) return false;
    const found = lstatSync(oldest.path, { throwIfNoEntry: false });
    return found === undefined || found.mtimeMs >= sinceMs;
  } catch {
    // No folder is there, or one that has been told as unreadable.
    return false;
  }
}
