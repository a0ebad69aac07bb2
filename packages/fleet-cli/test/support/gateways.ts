/**
 * Real gateways as processes, and what the watcher says of them: a test waits for that, and then knows
 * whom a verb will find.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { Document } from './fleet.ts';

const built = await bundleFile(fileURLToPath(new URL('./gateway-process.ts', import.meta.url)));

/** There is nothing in another process to wait for but its word. */
const POLL_MS = 20;

/** What no gateway has said, and so nobody may print. */
export const CLAIMS = /stopped|idle|drained|finished|at rest/i;

export interface Gateway {
  readonly pid: number;
  readonly instance: string;
  signal(signal: NodeJS.Signals): void;
  killed(): Promise<void>;
}

/** Resolves when the watcher has heard it acknowledge what stands; `lanes`: `lane-a=3` has 3 in hand. */
export async function startGateway(
  root: string,
  instance: string,
  lanes: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const child = fork(built, [root, instance, lanes.join(',')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const gateway = followed(child, instance);
  await untilGateway(root, instance, ({ link }) => link === 'acknowledged');
  return gateway;
}

function followed(child: ChildProcess, instance: string): Gateway {
  const { pid } = child;
  if (pid === undefined) throw new Error('the gateway did not start');
  const ended = once(child, 'exit');
  // A stopped one ends by nothing else.
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    pid,
    instance,
    signal: (signal) => void child.kill(signal),
    async killed() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until the watcher says this of a gateway. */
export async function untilGateway(
  root: string,
  instance: string,
  isSo: (gateway: Document) => boolean,
): Promise<void> {
  for (;;) {
    const { gateways } = await stateOf(root);
    const found = gateways.find((gateway: Document) => gateway.instance === instance);
    if (found !== undefined && isSo(found)) return;
    await delay(POLL_MS);
  }
}

/** What the watcher of this root says, once it does. */
async function stateOf(root: string): Promise<Document> {
  for (;;) {
    const state = await ask(root).catch(() => null);
    if (state !== null) return state;
    await delay(POLL_MS);
  }
}

/** Rejects if no watcher answers. */
export function ask(root: string): Promise<Document> {
  const socketPath = join(root, '.fleet', 'http.sock');
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: '/v1/state', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(JSON.parse(text)));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
