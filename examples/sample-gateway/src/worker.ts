/**
 * The worker of one card, a process of its own that may outlive the gateway: works step by step, and
 * moves its card to `done` itself. Whether it may start is asked before it is told to go.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [folder = '', id = '', steps = '0', stepMs = '0'] = process.argv.slice(2);

/** false: whoever started it is gone, and nobody has it on record. */
async function isToldToGo(): Promise<boolean> {
  for await (const chunk of process.stdin) if (String(chunk).startsWith('go')) return true;
  return false;
}

// Ctrl-C in the gateway's terminal is for the gateway: work in hand finishes.
process.on('SIGINT', () => {});
if (await isToldToGo()) {
  for (let step = 0; step < Number(steps); step++) await delay(Number(stepMs));
  renameSync(join(folder, 'doing', `${id}.json`), join(folder, 'done', `${id}.json`));
}
