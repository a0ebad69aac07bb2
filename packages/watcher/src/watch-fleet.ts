/**
 * Looks again whenever something may have changed, and reports each state that differs from the last.
 * It keeps no truth of its own: every report is read from disk [9].
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { type DiskPort, doorbell, nodeDisk } from '@fleet-estop/sentinel-core';
import { type FleetState, foldersOf, readFleet } from './fleet-state.ts';

export interface WatchOptions {
  /** Bounds how late a change can be seen whose notice was lost, and a deadline that passed. */
  readonly sweepMs?: number;
  readonly disk?: DiskPort;
}

export interface FleetWatch {
  /** Folders without notices: there, only the sweep sees changes. */
  readonly deaf: ReadonlyMap<string, string>;
  close(): void;
}

/** Reports the state at once, and then whenever it changed. */
export function watchFleet(
  root: string,
  report: (state: FleetState) => void,
  { sweepMs = 5_000, disk = nodeDisk() }: WatchOptions = {},
): FleetWatch {
  const deaf = new Map<string, string>();
  let last = '';
  let folders = '';
  let closeBell = () => {};
  let due = false;

  const listen = (state: FleetState) => {
    const dirs = foldersOf(state);
    const key = dirs.join('\n');
    if (key === folders) return false;
    folders = key;
    closeBell();
    const bell = doorbell(dirs, soon);
    // Profiles come and go: `profiles/` itself, and the root for the day when it appears.
    const shapes = [root, join(root, 'profiles')].flatMap((dir) => watchShape(dir, soon));
    deaf.clear();
    for (const [dir, why] of bell.deaf) deaf.set(dir, why);
    closeBell = () => {
      bell.close();
      for (const shape of shapes) shape.close();
    };
    return true;
  };

  const look = () => {
    due = false;
    let state = readFleet(disk, root);
    // INVARIANT 9: folders that are new are watched first and then read once more.
    while (listen(state)) state = readFleet(disk, root);
    const text = JSON.stringify(state);
    if (text === last) return;
    last = text;
    report(state);
  };

  function soon() {
    if (due) return;
    due = true;
    setImmediate(() => {
      if (due) look();
    });
  }

  const sweep = setInterval(look, sweepMs);
  look();
  return {
    deaf,
    close() {
      due = false;
      clearInterval(sweep);
      closeBell();
    },
  };
}

function watchShape(dir: string, ring: () => void) {
  try {
    const watcher = watch(dir, { persistent: false }, (event) => {
      if (event === 'rename') ring();
    });
    watcher.on('error', ring);
    return [watcher];
  } catch {
    return []; // It does not exist (yet): the sweep tells.
  }
}
