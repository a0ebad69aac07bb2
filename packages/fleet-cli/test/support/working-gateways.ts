/**
 * Real gateways as processes that have real work in hand.
 * Gateways that only say how much they have are `gateways.ts`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { untilGateway } from './gateways.ts';

/** The program: its words are the root, its instance and its profiles. */
export const WORKING_GATEWAY = await bundleFile(
  fileURLToPath(new URL('./working-gateway-process.ts', import.meta.url)),
);

interface Work {
  readonly profile: string;
  readonly door: string;
  readonly id: string;
  readonly stallMs?: number;
}

export interface WorkingGateway {
  readonly pid: number;
  begin(work: Work): Promise<void>;
  /** Answers the process id of the worker, which outlives the gateway. */
  beginInWorker(work: Work): Promise<number>;
  touch(work: Work): Promise<void>;
  end(work: Work): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  killed(): Promise<void>;
}

/** Resolves when the watcher has heard it acknowledge what stands; `isWatched: false`: at once. */
export async function startWorkingGateway(
  root: string,
  instance: string,
  profiles: readonly string[],
  { isWatched = true }: { readonly isWatched?: boolean } = {},
): Promise<WorkingGateway> {
  const child = fork(WORKING_GATEWAY, [root, instance, ...profiles], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the gateway did not start');
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const tell = async (command: object): Promise<{ pid?: number }> => {
    const answered = once(child, 'message');
    child.send(command);
    const [answer] = await answered;
    return answer;
  };
  if (isWatched) await untilGateway(root, instance, ({ link }) => link === 'acknowledged');
  return {
    pid,
    async begin(work) {
      await tell({ do: 'begin', ...work });
    },
    async beginInWorker(work) {
      const { pid: worker } = await tell({ do: 'begin-in-worker', ...work });
      if (worker === undefined) throw new Error('the worker did not start');
      onTestFinished(() => endProcess(worker));
      return worker;
    },
    async touch(work) {
      await tell({ do: 'touch', ...work });
    },
    async end(work) {
      await tell({ do: 'end', ...work });
    },
    signal: (signal) => void child.kill(signal),
    async killed() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A process that may have ended already. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
