/** Starts gateway processes and sends them commands. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../../scripts/bundle.mjs';
import type { Asked, Said } from './holder-process.ts';

export interface Holder {
  readonly pid: number;
  /** Its first message. */
  readonly opened: Said;
  ask(asked: Asked): Promise<Said>;
  signal(name: NodeJS.Signals): void;
  killed(): Promise<void>;
}

const entry = fileURLToPath(new URL('holder-process.ts', import.meta.url));
const script = await bundleFile(entry);

/** Where the process kills itself: before a piece of source that occurs once in a file of `in-flight/`. */
export interface Death {
  readonly file: string;
  readonly before: string;
}

const mortal = ({ file, before }: Death): Promise<string> => {
  const edits = [[before, `process.kill(process.pid, 'SIGKILL'); ${before}`]] as const;
  return bundleFile(entry, { mutate: [{ file: `in-flight/${file}`, edits }] });
};

/** Resolves when the process has died of a command, after it was open and `then` was done. */
export async function diesOf(
  home: string,
  asked: Asked,
  death: Death,
  then: () => Promise<void> = async () => {},
): Promise<void> {
  const child: ChildProcess = fork(await mortal(death), [home, '15000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  // It may die when it opens.
  child.once('message', () => void then().then(() => child.send(asked)));
  const [, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`it did not come to \`${death.before}\``);
}

export async function startHolder(home: string, leaseMs = 15_000): Promise<Holder> {
  const child: ChildProcess = fork(script, [home, String(leaseMs)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [opened] = (await once(child, 'message')) as [Said];
  return {
    pid: child.pid ?? 0,
    opened,
    async ask(asked) {
      const answer = once(child, 'message');
      child.send(asked);
      return (await answer)[0] as Said;
    },
    signal: (name) => void child.kill(name),
    async killed() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Polls until the condition is true. The test's timeout ends a wait that never succeeds. */
export async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fits())) await delay(20);
}

export function killAtTheEnd(pids: readonly number[]): void {
  onTestFinished(() => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
  });
}
