/** The real gateway as a separate process, and functions to talk to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const BUILT = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface Sample {
  readonly home: string;
  readonly process: ChildProcess;
  /** Messages of its log. */
  log(): { readonly message: string; readonly [field: string]: unknown }[];
  fetch(path: string, how?: { as?: string | null; body?: object; id?: string }): Promise<Response>;
  /** Sends one message. Returns the events until the turn has ended. */
  chat(message: { as: string; conversation: string; text: string }): Promise<ChatEvent[]>;
}

export interface ChatEvent {
  readonly event: string;
  readonly text?: string;
  readonly notice?: string | null;
}

export interface Status {
  readonly paused: boolean;
  readonly in_flight: number;
  readonly turns: readonly string[];
  readonly workers: Readonly<Record<string, number>>;
}

/** Creates a fleet with one profile and a users file. Returns the profile's home. */
export function makeHome(): { home: string; root: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'fleet-sample-'));
  const home = join(root, 'profiles', 'lane');
  mkdirSync(home, { recursive: true });
  admitPeople(home, ['guest', 'operator']);
  return { home, root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Writes the users file. Names that end in `operator` may pause. */
export function admitPeople(home: string, names: readonly string[]): void {
  const person = (name: string) => ({ token: tokenOf(name), may_pause: /operator$/.test(name) });
  const people = Object.fromEntries(names.map((name) => [name, person(name)]));
  writeFileSync(join(home, 'users.json'), JSON.stringify(people), { mode: 0o600 });
}

const tokenOf = (name: string): string => `token-of-${name}-in-a-test`;

/** Starts the gateway. Rejects if it exits before it listens. */
export async function startSample(
  home: string,
  { entry = BUILT, words = [] }: { entry?: string; words?: readonly string[] } = {},
): Promise<Sample> {
  const child = spawn(process.execPath, [entry, '--home', home, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const address = join(home, 'gateway.json');
  const isUp = () =>
    existsSync(address) && JSON.parse(readFileSync(address, 'utf8')).pid === child.pid;
  await until('it listens', () => {
    if (hasEnded(child)) throw new Error(`the gateway ended: ${out}${err}`);
    return isUp();
  });
  const { url } = JSON.parse(readFileSync(address, 'utf8'));

  const send: Sample['fetch'] = (path, { as = 'operator', body, id } = {}) => {
    const headers = {
      ...(as === null ? {} : { authorization: `Bearer ${tokenOf(as)}` }),
      ...(id === undefined ? {} : { 'x-delivery': id }),
    };
    if (body === undefined) return fetch(url + path, { headers });
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  return {
    home,
    process: child,
    log: () =>
      out
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    fetch: send,
    async chat({ as, ...body }) {
      const text = await (await send('/chat', { as, body })).text();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

export async function statusOf(sample: Sample, as = 'operator'): Promise<Status> {
  return (await (await sample.fetch('/status', { as })).json()) as Status;
}

/** Returns the exit code; null if it ended by the signal. */
export async function endSample(
  { process: child }: Sample,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  child.kill(signal);
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await look())) {
    if (performance.now() > endMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await delay(15);
  }
}
