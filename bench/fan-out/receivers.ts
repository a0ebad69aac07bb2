/**
 * A process with many gateways in it, that says when the last of them has heard.
 * Started by `bench.ts` with a kind, how many, and where; each of them parses what it gets.
 */
import { statSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { connect as connectNats } from '@nats-io/transport-node';
import { Redis } from 'ioredis';

export type Kind = 'watcher' | 'floor' | 'answered-floor' | 'redis' | 'nats' | 'poll';

/** What `bench.ts` asks for, and what it is told. */
export interface Wanted {
  readonly engaged: boolean;
}
export type Told =
  | { readonly ready: true }
  /** By the clock that all processes of a machine share, in nanoseconds. */
  | { readonly firstNs: string; readonly lastNs: string };

const [kind, count, where] = process.argv.slice(2) as [Kind, string, string];
const many = Number(count);
const send = (told: Told): void => void process.send?.(told);

/** Every socket's, one after the other: what is in it is ASCII, and is taken before the next read. */
const incoming = Buffer.alloc(65_536);

/** What each has heard last. */
const known = new Array<boolean>(many).fill(false);
let wanted = false;
let missing = 0;
let firstNs = 0n;

function heard(at: number, engaged: boolean): void {
  if (known[at] === engaged) return;
  known[at] = engaged;
  if (engaged !== wanted) return;
  const now = process.hrtime.bigint();
  if (missing === many) firstNs = now;
  missing -= 1;
  if (missing === 0) send({ firstNs: String(firstNs), lastNs: String(now) });
}

process.on('message', ({ engaged }: Wanted) => {
  wanted = engaged;
  missing = known.filter((one) => one !== engaged).length;
});
process.on('disconnect', () => process.exit());

interface Frame {
  readonly type: string;
  readonly epoch: string;
  readonly revision: number;
  readonly profile: string;
  readonly engaged: boolean;
}

/**
 * Lines on a unix socket. The watcher asks for an answer to each; a floor may get the same. All of
 * them read into one buffer: what a thousand readers of one process take is time that no fleet would
 * need, whose gateways have processes of their own.
 */
function overSocket(at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const profile = `lane-${at}`;
    let rest = '';
    const heardLine = (line: string): void => {
      const { type, epoch, revision, engaged } = JSON.parse(line) as Frame;
      if (type !== 'state') return;
      heard(at, engaged);
      if (kind !== 'floor') say({ type: 'ack', epoch, revision, profile, in_flight: 0 });
      resolve();
    };
    const callback = (length: number): boolean => {
      const lines = `${rest}${incoming.toString('latin1', 0, length)}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) heardLine(line);
      return true;
    };
    const socket = connectSocket({ path: where, onread: { buffer: incoming, callback } });
    const say = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
    socket.on('error', reject);
    socket.on('connect', () => {
      if (kind !== 'watcher') resolve();
      const profiles = [{ name: profile, doors: ['turn'], in_flight: 0 }];
      const who = { instance: `bench-${at}`, pid: process.pid, software: 'bench' };
      if (kind === 'watcher') say({ type: 'hello', protocol: 1, ...who, profiles });
    });
    if (kind === 'watcher') {
      const alive = { type: 'alive', profiles: [{ name: profile, in_flight: 0, refused: 0 }] };
      setTimeout(() => setInterval(() => say(alive), 2_000), Math.random() * 2_000);
    }
  });
}

async function overRedis(at: number): Promise<void> {
  const client = new Redis(where);
  client.on('message', (_channel, text) => heard(at, (JSON.parse(text) as Frame).engaged));
  await client.subscribe('fleet');
}

async function overNats(at: number): Promise<void> {
  const client = await connectNats({ servers: where });
  client.subscribe('fleet', {
    callback: (_error, message) => heard(at, message.json<Frame>().engaged),
  });
  await client.flush();
}

/** As gateways do that only have the file: a look a second, each at its own moment. */
async function byPolling(at: number): Promise<void> {
  const look = (): void => heard(at, statSync(where, { throwIfNoEntry: false }) !== undefined);
  setTimeout(() => setInterval(look, 1_000), Math.random() * 1_000);
}

const open = {
  watcher: overSocket,
  floor: overSocket,
  'answered-floor': overSocket,
  redis: overRedis,
  nats: overNats,
  poll: byPolling,
};
for (let at = 0; at < many; at += 50) {
  const some = Array.from({ length: Math.min(50, many - at) }, (_, i) => open[kind](at + i));
  await Promise.all(some);
}
send({ ready: true });
