/**
 * Finds out that whoever read stdout has gone, while there is nothing to write: else
 * `fleet status --watch | head -1` stays until the next state, which may be days away.
 * A pipe tells that to a write alone, so a space is written: before a document, or where a line is empty.
 */
import { fstatSync } from 'node:fs';
import { type Delivery, deliver } from './deliver.ts';

/** Most readers that go have read the first lines; for the others, a space a minute is not much. */
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 60_000;
const PAUSE_GROWTH = 4;

/** `gone` is called once at most. Gives back what ends it. A file has no reader to lose. */
export function probeReader(gone: (delivery: Delivery) => void): () => void {
  if (!hasReader()) return () => {};
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(probe, pauseMs);
    timer.unref();
  };
  const probe = (): void => {
    const delivery = deliver(1, ' ');
    pauseMs = Math.min(pauseMs * PAUSE_GROWTH, MOST_PAUSE_MS);
    if (delivery === 'whole') wait();
    else gone(delivery);
  };
  wait();
  return () => clearTimeout(timer);
}

function hasReader(): boolean {
  try {
    const stdout = fstatSync(1);
    return stdout.isFIFO() || stdout.isSocket();
  } catch {
    return false;
  }
}
