/**
 * Which folders a process watches, so that a test can know that it waits.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './live.ts';

/** Without notices it would look again after five seconds: a wake within this was no look by chance. */
export const NOTICED_MS = 2_500;

/** One number for each folder, which the kernel gives to no later watch; Linux alone can tell. */
export function watchesOf(pid: number): readonly string[] {
  const found: string[] = [];
  try {
    for (const fd of readdirSync(`/proc/${pid}/fdinfo`)) {
      const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      found.push(...(info.match(/^inotify wd:\S+/gm) ?? []));
    }
  } catch {
    // It has not begun, or it has ended, or a file was closed meanwhile.
  }
  return found;
}

export const untilItWatches = (pid: number, folders = 1): Promise<void> =>
  until(() => watchesOf(pid).length >= folders);
