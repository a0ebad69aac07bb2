/**
 * The number of open descriptors of a process, from `/proc`. Linux.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** What it has at rest: the same twice in a row. */
export async function restingDescriptors(pid: number): Promise<number> {
  for (let before = -1; ; ) {
    const now = descriptorsOf(pid);
    if (now === before) return now;
    before = now;
    await delay(50);
  }
}

/** Closed connections leave in their own time; never resolves where some stay. */
export async function untilDescriptors(pid: number, most: number): Promise<void> {
  while (descriptorsOf(pid) > most) await delay(20);
}
