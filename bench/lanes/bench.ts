/**
 * What watching 1,000 profiles costs while nothing happens and while all of them work, beside plain
 * chokidar over the same folders.
 */
import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../measure.ts';

const LANES = 1_000;
const FILES = 50;
const APPENDS = 400;
/** Long enough that one tick of the kernel's clock, 10 ms, is little. */
const IDLE_MS = 30_000;
const BUSY_MS = 30_000;
/** In its first half minute a process compiles what it runs and sweeps up after its start. */
const SETTLE_MS = 30_000;
const RUN = 'scripts/run.mjs';

interface Cost {
  readonly readyS: number;
  readonly idlePercent: number;
  readonly busyPercent: number;
  readonly megabytes: number;
}

export async function lanes({ dir, figure }: Bench): Promise<void> {
  const root = join(dir, 'busy');
  const profiles = join(root, 'profiles');
  for (let lane = 0; lane < LANES; lane++) {
    const home = join(profiles, `lane-${lane}`);
    mkdirSync(home, { recursive: true });
    for (let file = 1; file < FILES; file++) writeFileSync(join(home, `file-${file}`), 'x');
    writeFileSync(join(home, 'agent.log'), '');
  }
  const ours = await costOf(profiles, () => startWatcher(root));
  const theirs = await costOf(profiles, () => startChokidar(root));
  const rows = [
    ['ready', 'readyS', 1, ' s'],
    ['CPU with nothing to do', 'idlePercent', 0.5, ' %'],
    [`CPU with ${APPENDS} appends a second`, 'busyPercent', 3, ' %'],
    ['memory', 'megabytes', 100, ' MB'],
  ] as const;
  for (const [what, key, limit, unit] of rows) {
    const beside = `plain chokidar ${theirs[key].toFixed(2)}${unit}`;
    const name = `${LANES} profiles, ${what}`;
    figure(name, ours[key], limit, `${ours[key].toFixed(2)}${unit} (${beside})`);
  }
}

async function costOf(profiles: string, start: () => Promise<ChildProcess>): Promise<Cost> {
  const startedMs = performance.now();
  const child = await start();
  const readyS = (performance.now() - startedMs) / 1_000;
  try {
    await delay(SETTLE_MS);
    const idlePercent = await share(child, IDLE_MS);
    const words = ['bench/lanes/appender.ts', profiles, String(LANES), String(APPENDS)];
    const appender = fork(RUN, words);
    await once(appender, 'message');
    const busyPercent = await share(child, BUSY_MS);
    const megabytes = residentOf(child);
    await end(appender);
    return { readyS, idlePercent, busyPercent, megabytes };
  } finally {
    await end(child);
  }
}

async function startWatcher(root: string): Promise<ChildProcess> {
  const bin = 'packages/watcher/bin/fleet-watcher.js';
  const words = ['--root', root, '--port', '0', '--log-level', 'error'];
  const child = spawn(process.execPath, [bin, ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const check = [bin, '--check', '--root', root, '--timeout', '60s'];
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`no watcher: ${stderr}`);
  return child;
}

async function startChokidar(root: string): Promise<ChildProcess> {
  const child = fork(RUN, ['bench/lanes/plain-chokidar.ts', root]);
  await once(child, 'message');
  return child;
}

/** Of one core, in per cent. */
async function share(child: ChildProcess, forMs: number): Promise<number> {
  const startedMs = performance.now();
  const before = ticksOf(child);
  await delay(forMs);
  const seconds = (ticksOf(child) - before) / TICKS_A_SECOND;
  return (seconds / ((performance.now() - startedMs) / 1_000)) * 100;
}

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function ticksOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function residentOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
