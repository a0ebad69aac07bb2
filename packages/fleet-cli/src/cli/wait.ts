/**
 * `--wait`, `--drain` and `--timeout` of the verbs that wait for gateways: whether and how long.
 * The waiting itself is in `watcher-client/` and `drain/`.
 */
import type { Command, Option } from 'commander';
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

export const excludeWedgedOption = (): Option =>
  flag(
    '--exclude-wedged',
    'do not wait for work without progress for longer than its author allows; it is listed',
  );

/** How long to wait until nothing is in hand, milliseconds; 0: look once. */
export function readDrainMs({ timeout }: Pick<WaitOptions, 'timeout'>): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  return timeout === '0' ? 0 : readDurationMs('--timeout', timeout);
}
