/**
 * A watcher of a fleet, as `fleet watcher` runs it: its log, and when it is ready.
 */
import type { Document } from './fleet.ts';
import { type Live, startFleet } from './live.ts';

/** Without a port, since tests run side by side. */
export async function startWatcher(root: string, ...words: readonly string[]): Promise<Live> {
  const watcher = startFleet(['watcher', '--root', root, '--no-http', ...words]);
  await watcher.complains('"watching"');
  return watcher;
}

export const logOf = (watcher: Live): Document[] =>
  watcher
    .stderr()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
