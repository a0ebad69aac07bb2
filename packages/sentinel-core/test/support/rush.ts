/**
 * Operations in processes of their own that begin at the same moment.
 * What such a process runs is `one-operation.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../scripts/bundle.mjs';

export interface Order {
  readonly operation: 'arm' | 'lift' | 'check' | 'check-twice';
  readonly dir: string;
  readonly argument?: object;
  /** File descriptors that its process may have, all of which are taken; default: plenty. */
  readonly descriptors?: number;
  /** So many of them are not; default: none. */
  readonly left?: number;
}

/** Their answers, in order. Each is ready before any begins. */
export async function atOnce<Answer>(orders: readonly Order[]): Promise<Answer[]> {
  const script = await bundleFile(fileURLToPath(new URL('one-operation.ts', import.meta.url)));
  const started = orders.map((order) => start(script, order));
  await Promise.all(started.map(({ lines }) => lines.next()));
  for (const { child } of started) child.stdin?.end('!');
  return Promise.all(
    started.map(async ({ lines, child }) => {
      const { value } = await lines.next();
      if (value === undefined)
        throw new Error(`it answered nothing, and ended with ${child.exitCode}`);
      if (child.exitCode === null) await once(child, 'exit');
      return JSON.parse(String(value)) as Answer;
    }),
  );
}

function start(script: string, order: Order) {
  const { operation, dir, argument = {}, descriptors, left = 0 } = order;
  const words = [script, operation, dir, JSON.stringify(argument)];
  const child: ChildProcess =
    descriptors === undefined
      ? spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
      : spawn(
          'sh',
          [
            '-c',
            `ulimit -n ${descriptors} && exec "$@"`,
            'sh',
            process.execPath,
            ...words,
            String(left),
          ],
          { stdio: ['pipe', 'pipe', 'inherit'] },
        );
  if (child.stdout === null) throw new Error('it has no output');
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
