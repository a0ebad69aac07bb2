/**
 * Writes receipts: one line for each refusal, in `<home>/.fleet/refused.ndjson`.
 * A receipt only documents: a refusal without one is still a refusal. The format is `receipt.ts`.
 */
import {
  type JournalOutcome,
  linesPath,
  openLines,
  type Rotation,
} from '@fleet-estop/sentinel-core';
import { lineOf, type Refusal } from './receipt.ts';

export interface ReceiptOptions {
  /** Instance of the gateway. */
  readonly instance: string;
  readonly now?: () => number;
  readonly rotation?: Rotation;
}

export interface ReceiptWriter {
  /** Appends one receipt with one synchronous write. Never throws an errno. */
  write(refusal: Refusal): JournalOutcome;
  /** Closes the file. A later `write` still works and leaves nothing open. */
  close(): void;
}

/** `refused.ndjson` is rotated at about five thousand lines, and four old files are kept. */
const ROTATION: Rotation = { maxBytes: 1024 * 1024, keep: 4 };
const NAME = 'refused';

export const receiptsPath = (home: string): string => linesPath(home, NAME);

/**
 * Returns a writer that opens the file with the first receipt. `home` is a profile's home, or the root
 * for the profile `default`. Default rotation: 1 MiB, four old files.
 */
export function openReceipts(
  home: string,
  { instance, now = Date.now, rotation = ROTATION }: ReceiptOptions,
): ReceiptWriter {
  const file = openLines(home, NAME, rotation);
  return {
    write: (refusal) => file.append(lineOf(refusal, { instance, nowMs: now() })),
    close: file.close,
  };
}
