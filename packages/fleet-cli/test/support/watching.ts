/**
 * Which folders a process watches, so that a test can know that it waits.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './live.ts';

/** Without notices it would look again after five seconds: a wake within this was no look by chance. */
export const NOTICED_MS = 2_500;

/** How many folders; Linux alone can tell. */
function watches(pid: number): number {
  let count = 0;
  try {
    for (const fd of readdirSync(`/proc/${pid}/fdinfo`)) {
      const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      count += info.match(/^inotify wd:/gm)?.length ?? 0;
    }
  } catch {
    // It has not begun, or it has ended, or a file was closed meanwhile.
  }
  return count;
}

export const untilItWatches = (pid: number, folders = 1): Promise<void> =>
  until(() => watches(pid) >= folders);
