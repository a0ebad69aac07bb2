/**
 * Ways to tell many gateways that a sentinel stands, each with its real processes.
 * Who is compared with whom is `bench.ts`.
 */
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectNats } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import type { Kind, Told } from './receivers.ts';

export interface Heard {
  /** Milliseconds from just before the rename to the last gateway's having the frame. */
  readonly lastMs: number;
  /** Of it, from the first gateway's having it to the last's. */
  readonly spanMs: number;
}

export interface Contender {
  readonly name: string;
  /** Puts the sentinel there, or takes it away. */
  toggle(engaged: boolean): Promise<Heard>;
  close(): Promise<void>;
}

const RUN = 'scripts/run.mjs';

/** As a hold of somebody with a reason looks; what the watcher says of it is its own. */
const FRAME_BYTES = 330;

export async function watcherContender(dir: string, many: number): Promise<Contender> {
  const root = fleet(dir, many);
  const bin = 'packages/watcher/bin/fleet-watcher.js';
  const watcher = spawn(process.execPath, [bin, '--root', root, '--no-http'], { stdio: 'ignore' });
  const ready = spawnSync(process.execPath, [bin, '--check', '--root', root, '--timeout', '30s']);
  if (ready.status !== 0) throw new Error(`no watcher: ${ready.stderr}`);
  const { receivers, toggled } = await receiving(
    'watcher',
    many,
    join(root, '.fleet/watcher.sock'),
  );
  return {
    name: 'fleet',
    toggle: (engaged) => toggled(engaged, async () => rename(root, engaged)),
    close: () => end(receivers, watcher),
  };
}

/** Its gateways answer each frame, as the watcher's do: what is left is the sender's own cost. */
export const answeredFloor = (dir: string, many: number): Promise<Contender> =>
  writeLoop('answered-floor', 'a bare write loop, answered', dir, many);

export const silentFloor = (dir: string, many: number): Promise<Contender> =>
  writeLoop('floor', 'a bare write loop', dir, many);

async function writeLoop(kind: Kind, name: string, dir: string, many: number): Promise<Contender> {
  const root = fleet(dir, 0);
  const socketPath = join(root, 'floor.sock');
  const floor = fork(RUN, ['bench/fan-out/floor.ts', root, socketPath, String(FRAME_BYTES)]);
  await once(floor, 'message');
  const { receivers, toggled } = await receiving(kind, many, socketPath);
  return {
    name,
    toggle: (engaged) => toggled(engaged, async () => rename(root, engaged)),
    close: () => end(receivers, floor),
  };
}

/** Told right after the rename: nothing has to notice it. */
export async function redisContender(dir: string, many: number): Promise<Contender> {
  const root = fleet(dir, 0);
  const socketPath = join(root, 'redis.sock');
  const words = ['--port', '0', '--unixsocket', socketPath, '--save', '', '--maxclients', '4096'];
  const server = spawn('redis-server', words, { stdio: 'ignore' });
  while (!existsSync(socketPath)) await delay(10);
  const client = new Redis(socketPath);
  const { receivers, toggled } = await receiving('redis', many, socketPath);
  return {
    name: 'Redis pub/sub',
    toggle: (engaged) =>
      toggled(engaged, async () => {
        rename(root, engaged);
        await client.publish('fleet', frame(engaged));
      }),
    async close() {
      client.disconnect();
      await end(receivers, server);
    },
  };
}

/** The same. */
export async function natsContender(dir: string, many: number): Promise<Contender> {
  const root = fleet(dir, 0);
  const words = ['-a', '127.0.0.1', '-p', '-1', '--ports_file_dir', root];
  const server = spawn('nats-server', words, { stdio: 'ignore' });
  const servers = await natsAddress(root);
  const client = await connectNats({ servers });
  const { receivers, toggled } = await receiving('nats', many, servers);
  return {
    name: 'NATS',
    toggle: (engaged) =>
      toggled(engaged, async () => {
        rename(root, engaged);
        client.publish('fleet', frame(engaged));
      }),
    async close() {
      await client.close();
      await end(receivers, server);
    },
  };
}

export async function pollContender(dir: string, many: number): Promise<Contender> {
  const root = fleet(dir, 0);
  const { receivers, toggled } = await receiving('poll', many, join(root, 'ESTOP'));
  return {
    name: 'polling once a second',
    toggle: (engaged) => toggled(engaged, async () => rename(root, engaged)),
    close: () => end(receivers),
  };
}

async function receiving(kind: Kind, many: number, where: string) {
  const receivers = fork(RUN, ['bench/fan-out/receivers.ts', kind, String(many), where]);
  await once(receivers, 'message');
  const toggled = async (engaged: boolean, change: () => Promise<void>): Promise<Heard> => {
    receivers.send({ engaged });
    // It must know what it waits for before that happens, and be idle again.
    await delay(20);
    const told = once(receivers, 'message') as Promise<[Exclude<Told, { ready: true }>]>;
    const atNs = process.hrtime.bigint();
    await change();
    const [{ firstNs, lastNs }] = await told;
    const ms = (from: bigint, to: bigint): number => Number(to - from) / 1e6;
    const [first, last] = [BigInt(firstNs), BigInt(lastNs)];
    return { lastMs: ms(atNs, last), spanMs: ms(first, last) };
  };
  return { receivers, toggled };
}

let fleets = 0;

function fleet(dir: string, lanes: number): string {
  fleets += 1;
  const root = join(dir, `fleet-${fleets}`);
  mkdirSync(root);
  for (let lane = 0; lane < lanes; lane++) {
    mkdirSync(join(root, 'profiles', `lane-${lane}`), { recursive: true });
  }
  return root;
}

const REASON = 'a deploy goes wrong: everything waits';
const since = '2026-11-29T12:00:00.000+00:00';

function rename(root: string, engaged: boolean): void {
  const sentinel = join(root, 'ESTOP');
  const aside = join(root, 'body');
  if (!engaged) {
    renameSync(sentinel, aside);
    return;
  }
  const hold = { id: 'bench', holder: 'operator', reason: REASON, engaged_at: since };
  writeFileSync(aside, JSON.stringify({ engaged_at: since, reason: REASON, holds: [hold] }));
  renameSync(aside, sentinel);
}

function frame(engaged: boolean): string {
  const bare = JSON.stringify({ type: 'state', engaged, filler: '' });
  const filler = 'x'.repeat(Math.max(0, FRAME_BYTES - bare.length));
  return JSON.stringify({ type: 'state', engaged, filler });
}

async function natsAddress(dir: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const file = readdirSync(dir).find((name) => name.endsWith('.ports'));
    if (file !== undefined) {
      const { nats } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as { nats: string[] };
      if (nats[0] !== undefined) return nats[0];
    }
    await delay(100);
  }
  throw new Error('nats-server did not say where it listens');
}

async function end(...processes: readonly ChildProcess[]): Promise<void> {
  for (const child of processes) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
}
