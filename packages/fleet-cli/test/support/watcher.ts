/**
 * A watcher of a fleet: its log, and when it is ready.
 */
import { fileURLToPath } from 'node:url';
import type { Document } from './fleet.ts';
import { type Live, startFleet, startProcess } from './live.ts';

/** A program for Node, with the words of `fleet-watcher`. */
export const WATCHER = fileURLToPath(new URL('./watcher-process.mjs', import.meta.url));

/** Without a port, since tests run side by side. */
const wordsOf = (root: string, words: readonly string[]): string[] => [
  '--root',
  root,
  '--no-http',
  ...words,
];

/** Nobody is waited for who may still be coming back to it. */
export const startWatcher = (root: string, ...words: readonly string[]): Promise<Live> =>
  ready(startProcess(process.execPath, [WATCHER, ...wordsOf(root, words)]));

/** `fleet watcher`, in whose first seconds gateways may still be coming back to it. */
export const startNewWatcher = (root: string, ...words: readonly string[]): Promise<Live> =>
  ready(startFleet(['watcher', ...wordsOf(root, words)]));

async function ready(watcher: Live): Promise<Live> {
  await watcher.complains('"watching"');
  return watcher;
}

export const logOf = (watcher: Live): Document[] =>
  watcher
    .stderr()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
