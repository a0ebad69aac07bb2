/**
 * The worker process of one card: works step by step, and moves its card to `done` itself. It may outlive
 * the gateway. `dispatch.ts` decides whether it may start, and then writes `go`.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [folder = '', id = '', steps = '0', stepMs = '0'] = process.argv.slice(2);

/** false: the gateway ended before it recorded this worker. */
async function isToldToGo(): Promise<boolean> {
  for await (const chunk of process.stdin) if (String(chunk).startsWith('go')) return true;
  return false;
}

// Ctrl-C in the gateway's terminal must not end the worker: work in hand finishes.
process.on('SIGINT', () => {});
if (await isToldToGo()) {
  for (let step = 0; step < Number(steps); step++) await delay(Number(stepMs));
  renameSync(join(folder, 'doing', `${id}.json`), join(folder, 'done', `${id}.json`));
}
