/**
 * The built `fleet` command while it runs: what it has written so far, and signals to it or its group.
 * Commands that have ended before anybody looks are `fleet.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Document, LAUNCHER, PERSON } from './fleet.ts';

export interface Live {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Waits until stdout, or else stderr, holds this text. */
  prints(text: string): Promise<void>;
  complains(text: string): Promise<void>;
  write(text: string): void;
  endInput(): void;
  /** To this process alone. */
  signal(signal: NodeJS.Signals): void;
  /** To its whole process group, as a terminal's keys are. */
  signalGroup(signal: NodeJS.Signals): void;
  /** When it has ended and everything that it started has closed its streams. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Less than a test's own time limit, so that whoever waits in vain can say for what. */
const PATIENCE_MS = 50_000;

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** `fleet …` as the leader of a process group of its own. */
export const startFleet = (words: readonly string[], options?: StartOptions): Live =>
  startProcess(process.execPath, [LAUNCHER, ...words], options);

export function startProcess(
  program: string,
  args: readonly string[],
  { env = {}, uid }: StartOptions = {},
): Live {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...PERSON, TZ: 'UTC', ...env },
    cwd: tmpdir(),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const ended = new Promise<Awaited<Live['ended']>>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  // Whoever is not ended by the test would go on writing in folders that are removed.
  onTestFinished(async () => {
    endGroup(pid);
    await ended;
  });
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  child.stdin.on('error', () => {});
  return {
    pid,
    stdout: out.text,
    stderr: err.text,
    prints: out.holds,
    complains: err.holds,
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    signal: (signal) => void process.kill(pid, signal),
    signalGroup: (signal) => void process.kill(-pid, signal),
    ended,
  };
}

function collect(stream: NonNullable<ChildProcess['stdout']>) {
  let text = '';
  let arrived = (): void => {};
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    text += part;
    arrived();
  });
  return {
    text: () => text,
    async holds(wanted: string): Promise<void> {
      const endsAt = performance.now() + PATIENCE_MS;
      while (!text.includes(wanted)) {
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0) throw new Error(`not written: ${wanted}\nwritten so far:\n${text}`);
        await new Promise<void>((resolve) => {
          arrived = resolve;
          setTimeout(resolve, leftMs);
        });
      }
    },
  };
}

/** A stopped one would never end by itself. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** Waits for something that no event tells. */
export async function until(isSo: () => boolean): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > endsAt) throw new Error(`still not so: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** null: there is none, or it is not a body with holds. */
export function holdsOf(path: string): Document[] | null {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')).holds ?? null;
  } catch {
    return null;
  }
}

/** The hold of a window that has begun. */
export async function holdOfWindow(path: string): Promise<Document> {
  const find = () => holdsOf(path)?.find(({ holder }) => holder?.startsWith('window-'));
  await until(() => find() !== undefined);
  return find();
}

/** `R`, `S`, `T` (stopped), `Z` …; null: there is no such process. Linux alone can tell. */
export function stateOf(pid: number): string | null {
  const path = join('/proc', String(pid), 'stat');
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
  const stat = readFileSync(path, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? null;
}

/**
 * A command that says `ready`, then the name of each signal it gets, and on SIGUSR1 how often it
 * got which, and ends with status 9.
 */
export const COUNTER: readonly string[] = [
  process.execPath,
  '-e',
  `const counts = {};
   for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2', 'SIGCONT'])
     process.on(signal, () => { counts[signal] = (counts[signal] ?? 0) + 1; console.log('got ' + signal); });
   process.on('SIGUSR1', () => { console.log('counts ' + JSON.stringify(counts)); process.exit(9); });
   setInterval(() => {}, 1000);
   console.log('ready ' + process.pid);`,
];
