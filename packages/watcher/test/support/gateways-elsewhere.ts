/**
 * Gateways of the gateway package in a separate process, the same one that its own tests use.
 * Its messages are in `gateway/test/support/processes.ts`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';

const entry = new URL('../../../gateway/test/support/gateway-process.ts', import.meta.url);
const POLL_MS = 10;

/** Of one gateway. */
interface Standing {
  readonly link: { readonly link: string; readonly epoch?: string };
  /** Is it held? In the order in which the profiles were named; null: not served. */
  readonly profiles: readonly (boolean | null)[];
}

export interface GatewaysElsewhere {
  /** Asks until the answer fits every one of them. */
  untilAll(fits: (gateway: Standing) => boolean): Promise<void>;
}

export async function gatewaysElsewhere(
  root: string,
  count: number,
  lanes: readonly string[],
): Promise<GatewaysElsewhere> {
  const script = await bundleFile(fileURLToPath(entry));
  const child = fork(script, [root, 'g', String(count), lanes.join(',')]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    async untilAll(fits) {
      for (;;) {
        const answer = once(child, 'message');
        child.send('?');
        const [standings] = (await answer) as [readonly Standing[]];
        if (standings.every(fits)) return;
        await delay(POLL_MS);
      }
    },
  };
}
