/**
 * A watcher of a fleet, as `fleet watcher` runs it: its log, and when it is ready.
 */
import { lutimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from './fleet.ts';
import { type Live, startFleet } from './live.ts';

/** As if the watcher had run for so long. */
export function startedAgo(root: string, ms: number): void {
  const at = new Date(Date.now() - ms);
  lutimesSync(join(root, '.fleet', 'http.sock'), at, at);
}

/** Nobody is waited for who may still be coming back to it. */
export const settle = (root: string): void => startedAgo(root, 3_600_000);

/** Without a port, since tests run side by side. */
export async function startWatcher(root: string, ...words: readonly string[]): Promise<Live> {
  const watcher = startFleet(['watcher', '--root', root, '--no-http', ...words]);
  await watcher.complains('"watching"');
  settle(root);
  return watcher;
}

export const logOf = (watcher: Live): Document[] =>
  watcher
    .stderr()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
