/**
 * Detects that the reader of stdout has closed the pipe while there is nothing to write. Without it,
 * `fleet status --watch | head -1` would run until the next change, which may be days away.
 * Only a write detects this, so it writes a space: before a JSON document, or on an empty line.
 */
import { fstatSync } from 'node:fs';
import { type Delivery, deliver } from './deliver.ts';

/**
 * Most readers close the pipe after the first lines, so the first probes come soon; later, one a minute
 * is enough.
 */
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 60_000;
const PAUSE_GROWTH = 4;

/** Calls `gone` at most once. Returns a function that stops probing. Only a pipe or a socket is probed. */
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
