/** Real processes: gateways and watchers that can be stopped and killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GatewayView } from '@fleet-estop/protocol';
import { type Log, pushService, startWatcher, type Watcher } from '@fleet-estop/watcher';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { LinkStatus } from '../../src/index.ts';

/** The state of one gateway in a process. */
export type Answer = readonly {
  readonly link: LinkStatus;
  /** Whether each profile is held, in the order of the arguments. */
  readonly profiles: readonly (boolean | null)[];
}[];

/** The state of the gateway with a fault. */
export interface Odd {
  readonly engaged: boolean | null;
  readonly uncaught: readonly string[];
}

/** Start and end of the time in which a pause was certainly in force, in monotonic nanoseconds. */
export interface Pause {
  readonly heldFrom: string;
  readonly heldTo: string;
}

export interface Process<T> {
  readonly child: ChildProcess;
  ask(): Promise<T>;
  /** Polls until the answer matches: another process can only be asked. */
  until(fits: (answer: T) => boolean): Promise<T>;
  signal(name: NodeJS.Signals): void;
  killed(): Promise<void>;
}

const POLL_MS = 20;

async function start<T>(file: string, words: readonly string[]): Promise<Process<T>> {
  const script = await bundleFile(fileURLToPath(new URL(file, import.meta.url)));
  const child = fork(script, words);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const ask = async (): Promise<T> => {
    const answer = once(child, 'message');
    child.send('?');
    return (await answer)[0] as T;
  };
  return {
    child,
    ask,
    async until(fits) {
      for (;;) {
        const answer = await ask();
        if (fits(answer)) return answer;
        await delay(POLL_MS);
      }
    },
    signal: (name) => void child.kill(name),
    async killed() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export const gatewayProcess = (
  root: string,
  prefix: string,
  count: number,
  profiles: readonly string[],
): Promise<Process<Answer>> =>
  start('gateway-process.ts', [root, prefix, String(count), profiles.join(',')]);

export const watcherProcess = (root: string): Promise<Process<readonly GatewayView[]>> =>
  start('watcher-process.ts', [root]);

export const oddProcess = (root: string, oddity: 'throws' | 'short-lived'): Promise<Process<Odd>> =>
  start('odd-process.ts', [root, oddity]);

export const togglingProcess = (
  times: number,
  folders: readonly string[],
): Promise<Process<readonly Pause[]>> => start('toggling-process.ts', [String(times), ...folders]);

export interface Watching {
  readonly watcher: Watcher;
  gateways(): readonly GatewayView[];
  /** Resolves when all of these gateways match, now or later. */
  untilAll(
    instances: readonly string[],
    fits: (view: GatewayView) => boolean,
  ): Promise<readonly GatewayView[]>;
}

/** A complete watcher in this process. */
export async function watching(root: string): Promise<Watching> {
  const nothing = () => {};
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Log;
  const started = await startWatcher({ root, log, observe: 'native', services: [pushService] });
  if (!started.started) throw new Error('another watcher has this root');
  const { watcher } = started;
  onTestFinished(() => watcher.close());
  const gateways = () => watcher.store.snapshot().gateways;
  return {
    watcher,
    gateways,
    untilAll: (instances, fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = instances.flatMap((name) => {
            const view = gateways().find(({ instance }) => instance === name);
            return view !== undefined && fits(view) ? [view] : [];
          });
          if (found.length !== instances.length) return;
          unsubscribe();
          resolve(found);
        };
        const unsubscribe = watcher.store.subscribe(look);
        look();
      }),
  };
}

export const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);
