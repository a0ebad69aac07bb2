/**
 * `--wait` and `--timeout` of `pause` and `resume`: whether and how long to wait for gateways.
 * The waiting itself is in `watcher-client/`.
 */
import type { Command } from 'commander';
import { readDurationMs } from './duration.ts';
import { flag, valued } from './flags.ts';
import { usageError } from './values.ts';

export interface WaitOptions {
  readonly wait?: true;
  readonly timeout?: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export function addWait(command: Command): void {
  command
    .addOption(
      flag('--wait', 'then wait until every expected gateway has acknowledged it').conflicts(
        'dryRun',
      ),
    )
    .addOption(valued('--timeout <duration>', 'how long --wait waits (default: 30s)'));
}

/** Milliseconds; null: do not wait. */
export function readWaitMs({ wait, timeout }: WaitOptions): number | null {
  if (wait)
    return timeout === undefined ? DEFAULT_TIMEOUT_MS : readDurationMs('--timeout', timeout);
  if (timeout === undefined) return null;
  throw usageError('`--timeout` without `--wait`', 'it is how long --wait waits: give both');
}
