/**
 * Very many gateways in one process: most read and acknowledge at once, some read slowly, some
 * never. Cheaper than `push.ts`: it only parses what it must acknowledge.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encode, HEARTBEAT_MS, lineReader } from '@fleet-estop/protocol';
import { onTestFinished } from 'vitest';
import { helloOf } from './push.ts';

export type Manner = 'reads' | 'slow' | 'never';

export interface Crowd {
  /** Resolves when each of these has heard, of this profile, a state with this text in it. */
  untilHeard(instances: readonly string[], profile: string, part: string): Promise<void>;
}

interface Member {
  readonly instance: string;
  readonly manner: Manner;
  readonly profiles: readonly string[];
}

/** A slow one takes so much at a time, so often: less than a state a second. */
const SIP_BYTES = 1_000;
const SIP_MS = 100;

const ALIVE = encode({ type: 'alive', profiles: [] });

export async function crowd(path: string, members: readonly Member[]): Promise<Crowd> {
  const heard = new Map<string, string>();
  const sockets: Socket[] = [];
  const speaking: Socket[] = [];
  const sipping: Socket[] = [];
  let wake = () => {};

  const hear = (socket: Socket, { instance }: Member) => {
    const reader = lineReader((line) => {
      const [, epoch, revision, profile] =
        /^\{"type":"state","epoch":"(\w+)","revision":(\d+),"profile":"([\w-]+)"/.exec(line) ?? [];
      if (profile === undefined || epoch === undefined) return;
      heard.set(`${instance} ${profile}`, line);
      const ack = {
        type: 'ack',
        epoch,
        revision: Number(revision),
        profile,
        in_flight: 0,
      } as const;
      socket.write(encode(ack));
      wake();
    });
    socket.on('data', (chunk) => void reader.push(chunk as Buffer));
  };

  for (const member of members) {
    const socket = await connected(path);
    sockets.push(socket);
    socket.write(encode(helloOf(member.instance, member.profiles)));
    if (member.manner !== 'never') speaking.push(socket);
    if (member.manner === 'reads') hear(socket, member);
    if (member.manner === 'slow') sipping.push(socket);
  }
  const heart = setInterval(() => {
    for (const socket of speaking) socket.write(ALIVE);
  }, HEARTBEAT_MS);
  const sips = setInterval(() => {
    for (const socket of sipping) socket.read(SIP_BYTES);
  }, SIP_MS);
  onTestFinished(() => {
    clearInterval(heart);
    clearInterval(sips);
    for (const socket of sockets) socket.destroy();
  });

  return {
    async untilHeard(instances, profile, part) {
      for (const instance of instances) {
        while (!heard.get(`${instance} ${profile}`)?.includes(part)) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}

/** A kernel keeps a few hundred waiting, and turns away those who come then: they come again. */
async function connected(path: string): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket.on('error', () => {});
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await delay(5);
    }
  }
}
