/**
 * Looks at a fleet again whenever something may have changed, and reports each state that differs
 * from the last. It keeps no truth of its own: every report is read from disk [9].
 */
import { join } from 'node:path';
import { type DiskPort, follow, nextDeadline, nodeDisk } from '@fleet-estop/sentinel-core';
import { type FleetState, readFleet, scopesOf } from './state/fleet-state.ts';

export interface WatchOptions {
  /** Bounds how late a change can be seen whose notice was lost. */
  readonly sweepMs?: number;
  readonly disk?: DiskPort;
}

export interface FleetWatch {
  /** Folders without notices: there, only the sweep sees changes. */
  deaf(): ReadonlyMap<string, string>;
  close(): void;
}

/** Reports the state at once, and then whenever it changed. */
export function watchFleet(
  root: string,
  report: (state: FleetState) => void,
  { sweepMs = 5_000, disk = nodeDisk() }: WatchOptions = {},
): FleetWatch {
  let last: FleetState | null = null;
  let text = '';
  return follow(
    () => {
      const state = readFleet(
        disk,
        root,
        last?.profiles.map(({ name }) => name),
      );
      last = state;
      const now = JSON.stringify(state);
      if (now !== text) {
        text = now;
        report(state);
      }
      const scopes = scopesOf(state);
      const deadlines = scopes.flatMap(({ holds }) => holds.map((hold) => hold.expires_at_ms));
      return {
        scopes: scopes.map(({ dir }) => dir),
        shapes: [root, join(root, 'profiles')],
        deadlineMs: nextDeadline(deadlines, Date.now()),
      };
    },
    { sweepMs },
  );
}
