/**
 * `--wait` and `--timeout` of the verbs that change something: whether to wait for gateways, how long.
 * What is waited for is `watcher/`.
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

/** Milliseconds; null: it is not to wait. */
export function readWaitMs({ wait, timeout }: WaitOptions): number | null {
  if (wait)
    return timeout === undefined ? DEFAULT_TIMEOUT_MS : readDurationMs('--timeout', timeout);
  if (timeout === undefined) return null;
  throw usageError('`--timeout` without `--wait`', 'it is how long --wait waits: give both');
}
