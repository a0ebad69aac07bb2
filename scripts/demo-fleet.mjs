/**
 * The processes of an example fleet: a watcher, and one sample gateway per lane, all of which end with
 * the one that started them. What is then done with the fleet is `start.mjs`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('..', import.meta.url));
export const launcher = join(repository, 'packages/fleet-cli/bin/fleet.js');
const gateway = join(repository, 'examples/sample-gateway/dist/main.js');

const PORT = 7433;
const UP_MS = 30_000;
/** A gateway lets work in hand finish for 10 s. */
const STOP_MS = 12_000;

/**
 * @typedef {{ name: string, pid: number, log: string, url: string }} Member
 * @typedef {{ watcher: Member, lanes: Member[], stop(): Promise<void>, kill(): void }} DemoFleet
 */

/**
 * Rejects where one of them does not come up; `stop` then ends those that did. `onEnd` hears of one
 * that ends without having been asked to.
 * @param {string} root
 * @param {(name: string, how: string) => void} onEnd
 */
export function demoFleet(root, onEnd) {
  /** @type {import('node:child_process').ChildProcess[]} */
  const gateways = [];
  /** @type {import('node:child_process').ChildProcess[]} */
  const watchers = [];
  let stopping = false;

  /**
   * In a process group of its own: a Ctrl-C in this terminal is for this process alone, which then ends
   * them in order; and a worker that outlives its gateway is still found.
   * @param {string} name
   * @param {string} log
   * @param {readonly string[]} words
   */
  function run(name, log, words) {
    const fd = openSync(log, 'a', 0o600);
    const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', fd, fd] });
    closeSync(fd);
    child.once('exit', (code, signal) => {
      if (!stopping) onEnd(name, `${signal ?? `status ${code}`}; its log is ${log}`);
    });
    return child;
  }

  async function startWatcher() {
    const log = join(root, 'watcher.log');
    const port = (await isFree(PORT)) ? PORT : 0;
    const child = run('the watcher', log, [
      launcher,
      '--root',
      root,
      'watcher',
      '--port',
      `${port}`,
    ]);
    watchers.push(child);
    const url = await found(
      child,
      log,
      () => /"url":"([^"]+)"/.exec(readFileSync(log, 'utf8'))?.[1],
    );
    return { name: 'watcher', pid: child.pid ?? 0, log, url };
  }

  /** @param {string} profile */
  async function startLane(profile) {
    const home = join(root, 'profiles', profile);
    const log = join(home, 'gateway.log');
    const child = run(`the gateway of ${profile}`, log, [gateway, '--home', home, '--step', '300']);
    gateways.push(child);
    const address = join(home, 'gateway.json');
    const url = await found(child, log, () => {
      return existsSync(address) ? JSON.parse(readFileSync(address, 'utf8')).url : undefined;
    });
    return { name: profile, pid: child.pid ?? 0, log, url };
  }

  return {
    /** @returns {Promise<{ watcher: Member, lanes: Member[] }>} */
    async start() {
      const watcher = await startWatcher();
      const profiles = readdirSync(join(root, 'profiles')).sort();
      return { watcher, lanes: await Promise.all(profiles.map(startLane)) };
    },
    /** Gateways first, so that the watcher sees them leave. */
    async stop() {
      stopping = true;
      await endAll(gateways);
      await endAll(watchers);
    },
    /** What is left, at once. */
    kill() {
      stopping = true;
      for (const child of [...gateways, ...watchers]) signalGroup(child, 'SIGKILL');
    },
  };
}

/** @param {readonly import('node:child_process').ChildProcess[]} children */
async function endAll(children) {
  for (const child of children) child.kill('SIGTERM');
  const late = AbortSignal.timeout(STOP_MS);
  await Promise.all(
    children.map(async (child) => {
      if (!hasEnded(child)) await once(child, 'exit', { signal: late }).catch(() => {});
      signalGroup(child, 'SIGKILL');
    }),
  );
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup({ pid }, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of it is left.
  }
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/**
 * What a process says of itself once it is up.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} log
 * @param {() => string | undefined} look
 */
async function found(child, log, look) {
  const endMs = performance.now() + UP_MS;
  for (;;) {
    const value = look();
    if (value !== undefined) return value;
    if (hasEnded(child)) throw new Error(`it ended before it was up; its log is ${log}`);
    if (performance.now() > endMs) throw new Error(`it is not up in 30 s; its log is ${log}`);
    await delay(30);
  }
}

/** @param {number} port */
async function isFree(port) {
  const server = createServer();
  try {
    await new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve(undefined));
    });
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
