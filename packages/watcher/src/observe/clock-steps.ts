/**
 * Detects when this host's wall clock is set, by comparing it with the time since boot, which keeps
 * running during suspend and cannot be set. Without such a clock it never reports anything.
 */
import { CLOCK_TOLERANCE_MS, type DiskPort } from '@fleet-estop/sentinel-core';

export interface ClockStep {
  /** What the clock would show now if it had not been set; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Maximum time between two clock readings that belong together. If it takes longer, the process was
 * stopped in between.
 */
const MAX_READING_GAP_MS = 200;

/** Answers a function that reports whether the clock was set since its last call. */
export function clockSteps(disk: Pick<DiskPort, 'now' | 'uptime'>): () => ClockStep | null {
  let boot: number | null = bootedAt(disk);
  return () => {
    const now = bootedAt(disk);
    const before = boot;
    if (now === null) return null;
    boot = before ?? now;
    if (before === null || Math.abs(now - before) <= CLOCK_TOLERANCE_MS) return null;
    // Only now, so that small steps add up until they are reported.
    boot = now;
    const toMs = disk.now();
    return { fromMs: toMs - (now - before), toMs };
  };
}

/** Boot time by the wall clock; it moves only if the clock is set. null: unknown at the moment. */
function bootedAt(disk: Pick<DiskPort, 'now' | 'uptime'>): number | null {
  const nowMs = disk.now();
  const uptime = disk.uptime();
  if (uptime === null || Math.abs(disk.now() - nowMs) > MAX_READING_GAP_MS) return null;
  return nowMs - uptime.ms;
}
