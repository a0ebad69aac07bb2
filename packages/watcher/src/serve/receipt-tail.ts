/**
 * Reads the newest receipts of one home from the end of its files, so the cost does not depend on
 * the number of refusals.
 * `readLines` of the core reads the lines; `readReceipts` of the ledger reads all receipts;
 * grouping and redaction are `refusals.ts` and `redaction.ts`.
 */
import { basename, dirname } from 'node:path';
import { type Receipt, receiptOf, receiptsPath } from '@fleet-estop/ledger';
import { formatInstant, readLines } from '@fleet-estop/sentinel-core';

/**
 * A receipt as it is served. Its own `profile` is dropped: the home in which it was found counts.
 */
export interface TailReceipt extends Omit<Receipt, 'profile' | 'skipped'> {
  /** Length of its line. */
  readonly bytes: number;
}

export interface ReceiptTail {
  /** Newest first. */
  readonly receipts: readonly TailReceipt[];
  /** Number of lines that are not receipts. */
  readonly corrupt: number;
  /** `<file>: <errno, not-a-file, link-of-another or too-many>`: there may be more than was read. */
  readonly unreadable: string | null;
  /** Older lines exist that were not read. */
  readonly isCut: boolean;
  /** Bytes of the receipts' lines. */
  readonly bytes: number;
}

/** More than writers keep; the folder has few other entries. */
const BOUNDS = { maxFiles: 16, maxEntries: 4_096 };

/** Reads lines of at most `maxBytes`. Never throws an errno. */
export function readReceiptTail(home: string, maxBytes: number): ReceiptTail {
  const path = receiptsPath(home);
  const folder = basename(dirname(path));
  const receipts: TailReceipt[] = [];
  let corrupt = 0;
  let unreadable: string | null = null;
  let isCut = false;
  // What a lift skipped was not refused: `fleet history --refused` lists it.
  for (const read of readLines(path, tailLineOf, { ...BOUNDS, lastBytes: maxBytes })) {
    if (read.kind === 'record') receipts.push(...read.record);
    else if (read.kind === 'corrupt') corrupt += 1;
    else if (read.why === 'older' || (read.why === 'too-many' && read.file !== folder))
      isCut = true;
    else unreadable ??= `${read.file}: ${read.why}`;
  }
  const bytes = receipts.reduce((sum, receipt) => sum + receipt.bytes, 0);
  // Sorted, since the clock may have been set between two lines.
  receipts.reverse().sort((a, b) => b.atMs - a.atMs);
  return { receipts, corrupt, unreadable, isCut, bytes };
}

/** null: the line is no receipt. An empty list: it is none of a refusal. */
function tailLineOf(value: unknown, bytes: number): readonly TailReceipt[] | null {
  const receipt = receiptOf(value);
  if (receipt === null) return null;
  if (receipt.skipped) return [];
  const { atMs, door, principal, holds, pid, instance } = receipt;
  const at = formattedOrNull(atMs);
  if (at === null) return null;
  const isPid = Number.isSafeInteger(pid) && pid > 0;
  return [{ at, atMs, door, principal, holds, pid: isPid ? pid : 0, instance, bytes }];
}

/** null: the instant is outside the years that can be formatted. */
function formattedOrNull(atMs: number): string | null {
  try {
    return formatInstant(atMs);
  } catch {
    return null;
  }
}
