/**
 * Writes receipts: one line for each thing that was refused, in `<home>/.fleet/refused.ndjson`.
 * A receipt explains and never decides: what was refused without one stays refused.
 */
import { type Journaled, linesPath, openLines, type Rotation } from '@fleet-estop/sentinel-core';
import { lineOf, type Refusal } from './receipt.ts';

export interface ReceiptOptions {
  /** Of this run of the gateway's process. */
  readonly instance: string;
  readonly now?: () => number;
  readonly rotation?: Rotation;
}

export interface ReceiptWriter {
  /** At once, by one write. Never throws an errno. */
  write(refusal: Refusal): Journaled;
  /** One that is written afterwards is written all the same, and nothing stays open. */
  close(): void;
}

/** `refused.ndjson` has some five thousand lines when it is moved aside, and four such are kept. */
const ROTATION: Rotation = { maxBytes: 1024 * 1024, keep: 4 };
const NAME = 'refused';

export const receiptsPath = (home: string): string => linesPath(home, NAME);

/** Opens nothing before the first receipt. `home` is a profile's, or a root for the lane `default`. */
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
