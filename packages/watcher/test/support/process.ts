/**
 * The watcher as a real process, built from the current source.
 * A watch inside the test's own process is `watched.ts`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';

const entry = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));
export const built = await bundleFile(entry, { packages: 'bundle' });

/** Nothing of this process's environment reaches the watcher. */
const options = (env: Readonly<Record<string, string>> = {}) => ({
  cwd: tmpdir(),
  env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', USER: 'tester', ...env },
});

export interface LogEntry {
  readonly level: number;
  readonly msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a line carries is what the tests are about
  readonly [key: string]: any;
}

export interface WatcherProcess {
  readonly pid: number;
  readonly log: readonly LogEntry[];
  /** A line that was logged, or will be. */
  logged(part: string, fits?: (line: LogEntry) => boolean): Promise<LogEntry>;
  signal(signal: NodeJS.Signals): void;
  /** The exit status, or the signal that ended it. */
  ended: Promise<number | string>;
}

export function startWatcherProcess(root: string, ...words: readonly string[]): WatcherProcess {
  const child = spawn(process.execPath, [built, '--root', root, ...words], {
    ...options(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return followed(child);
}

/** As another user; only root may. */
export function startWatcherProcessAs(
  user: { readonly uid: number; readonly gid: number },
  root: string,
  ...words: readonly string[]
): WatcherProcess {
  const child = spawn(process.execPath, [built, '--root', root, ...words], {
    ...options(),
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return followed(child);
}

/** With so many descriptors and no more. */
export function startWithFewDescriptors(most: number, root: string, ...words: readonly string[]) {
  const command = [process.execPath, built, '--root', root, ...words];
  const limited = `ulimit -n ${most} && exec "$@"`;
  const child = spawn('sh', ['-c', limited, 'sh', ...command], {
    ...options(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return followed(child);
}

/** From now on, it may have no more descriptors open than this. Linux. */
export const limitDescriptors = (pid: number, most: number): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);

/** With so many watches and no more, in a user namespace of its own. */
export function startWithFewWatches(most: number, root: string, ...words: readonly string[]) {
  const limited = `echo ${most} > /proc/sys/user/max_inotify_watches && exec "$@"`;
  const command = [process.execPath, built, '--root', root, ...words];
  const child = spawn('unshare', ['-Ur', 'sh', '-c', limited, 'sh', ...command], {
    ...options(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return followed(child);
}

/** Why no such limit can be set here; undefined where it can. */
export const limitsMissing: string | undefined =
  spawnSync('unshare', ['-Ur', 'sh', '-c', 'echo 9 > /proc/sys/user/max_inotify_watches'])
    .status === 0
    ? undefined
    : 'no user namespace with a limit of its own can be made here';

function followed(child: ChildProcess): WatcherProcess {
  const { pid, stderr } = child;
  if (pid === undefined || stderr === null) throw new Error('the watcher did not start');
  const log: LogEntry[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: stderr }).on('line', (line) => {
    log.push(JSON.parse(line));
    for (const look of [...waiting]) look();
  });
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return {
    pid,
    log,
    logged: (part, fits = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const found = log.find((line) => line.msg.includes(part) && fits(line));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    signal: (signal) => child.kill(signal),
    ended,
  };
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it to its end. */
export function runWatcherProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [built, ...words], {
    ...options(env),
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, stdout, stderr };
}
