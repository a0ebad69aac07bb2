/**
 * Notices when the wall clock of this host is set: by comparing it with the time since the boot, which
 * a suspend does not stop and nobody sets. Where there is no such clock, nothing is ever said.
 */
import { CLOCK_TOLERANCE_MS, type DiskPort } from '@fleet-estop/sentinel-core';

export interface ClockStep {
  /** What the clock would say now, had it not been set; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Between two readings that should be one. Longer, and somebody had stopped us. */
const MAX_READING_GAP_MS = 200;

/** Answers how to ask whether the clock was set since the last time that it was asked. */
export function clockSteps(disk: Pick<DiskPort, 'now' | 'uptime'>): () => ClockStep | null {
  let boot: number | null = bootedAt(disk);
  return () => {
    const now = bootedAt(disk);
    const before = boot;
    if (now === null) return null;
    boot = before ?? now;
    if (before === null || Math.abs(now - before) <= CLOCK_TOLERANCE_MS) return null;
    // Only now: small steps add up until they are told.
    boot = now;
    const toMs = disk.now();
    return { fromMs: toMs - (now - before), toMs };
  };
}

/** By the wall clock. It moves only if the clock is set. null: cannot be told now. */
function bootedAt(disk: Pick<DiskPort, 'now' | 'uptime'>): number | null {
  const nowMs = disk.now();
  const uptime = disk.uptime();
  if (uptime === null || Math.abs(disk.now() - nowMs) > MAX_READING_GAP_MS) return null;
  return nowMs - uptime.ms;
}
