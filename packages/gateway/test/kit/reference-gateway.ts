/**
 * A small real gateway with every door, served over HTTP, in which one guard at a time can be removed
 * or broken. The adapter is `reference-adapter.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeFromWatcher, encode, lineReader, PROTOCOL } from '@fleet-estop/protocol';
import { lift } from '@fleet-estop/sentinel-core';
import {
  type Gate,
  kanbanDoor,
  misfireDoor,
  nodeDoor,
  openGate,
  pauseCommand,
  turnDoor,
} from '../../src/index.ts';
import { disk } from '../support/fleets.ts';
import { handOver } from './hand-over.ts';
import { startUntilCounted } from './until-counted.ts';

/** `<door>`: the door never asks the gate. `<door>: <what>`: the door has that flaw. */
export type Flaw =
  | 'turn'
  | 'turn: asks once at start'
  | 'turn: without its principal'
  | 'turn: leaves no receipts'
  | 'turn: repeats the notice'
  | 'turn: says nothing'
  | 'turn: waits after its decision'
  | 'cron'
  | 'cron: asks once at start'
  | 'cron: waits after its decision'
  | 'cron-misfire'
  | 'cron-webhook'
  | 'cron-webhook: before authentication'
  | 'cron-webhook: after the claim'
  | 'cron-webhook: a bare 503'
  | 'cron-webhook: works all the same'
  | 'cron-webhook: waits after its decision'
  | 'kanban'
  | 'kanban: asks once'
  | 'kanban: keeps the card'
  | 'kanban: marks a failure'
  | 'kanban: blocks the card'
  | 'kanban: waits after its decision'
  | 'dispatch'
  | 'dispatch: knows the profile only'
  | 'dispatch: knows the root only'
  | 'dispatch: a file is a hold'
  | 'dispatch: no body is no hold'
  | 'dispatch: waits after its decision'
  | 'dispatch: remembers its answer'
  | 'dispatch: believes the watcher'
  | 'work'
  | 'work: is not on record'
  | 'work: stays on record'
  | 'control'
  | 'control: behind the turn door'
  | 'control: anybody may'
  | 'control: lifts everything'
  | 'control: replaces what stands'
  | 'link'
  | 'link: of another fleet'
  | 'link: acknowledges what it hears';

export interface Card {
  state: 'ready' | 'claimed' | 'spawned' | 'blocked';
  failures: number;
}

export interface ReferenceGateway {
  /** Sends a request, as from outside. */
  send(path: string, request: Sent): Promise<Response>;
  /** Itself, for whoever counts the work that has begun. */
  counted(): ReferenceGateway;
  readonly board: Map<string, Card>;
  /** Called right after a claim. */
  between: (id: string) => Promise<void>;
  readonly started: ReadonlySet<string>;
  readonly missed: Set<string>;
  /** Number of pieces of work that have begun at a door. */
  begun(door: string): number;
  /** Work that runs until it is finished, or until a pause ends it. */
  beginWork(id: string): { ended: boolean; finish(): boolean };
  stop(): Promise<void>;
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export async function referenceGateway(home: string, flaw?: Flaw): Promise<ReferenceGateway> {
  const has = (name: Flaw) => flaw === name;
  const isApart = has('link') || has('link: acknowledges what it hears');
  const gate = openGate({
    home,
    software: 'reference/1.0',
    resumeSpreadMs: 0,
    ...(isApart ? { link: false } : {}),
    ...(has('link: of another fleet') ? { socketPath: join(home, 'watcher.sock') } : {}),
  });
  const believer = believerAt(home);
  if (has('link: acknowledges what it hears') || has('dispatch: believes the watcher'))
    believer.link();
  const begun = new Map<string, number>();
  const count = (door: string) => void begun.set(door, (begun.get(door) ?? 0) + 1);
  const isLate = flaw?.endsWith(': waits after its decision') === true;
  const late = startUntilCounted();
  const waits = (door: string) =>
    flaw === `${door}: waits after its decision` ? late.wait() : undefined;
  const started = new Set<string>();
  const received = new Set<string>();
  const missed = new Set<string>();
  const board = new Map<string, Card>();
  const work = new Set<{ ended: boolean }>();
  let remembered = { untilMs: 0, admitted: false };
  const atStart = gate.ask({ door: 'turn' });

  const decide = has('turn: repeats the notice')
    ? (message: Message) => turnDoor(gate).decide(message)
    : turnDoor<Message>(gate, has('control: behind the turn door') ? { isControl: no } : {}).decide;
  const control = pauseCommand({
    home,
    mayControl: (who) => has('control: anybody may') || who === 'kit-operator',
  });
  const catchUp = misfireDoor(has('cron-misfire') ? open(gate) : gate, {
    missed: () => missed,
    start(job) {
      missed.delete(job);
      started.add(job);
      count('cron-misfire');
    },
  });
  const cards = kanbanDoor(
    has('kanban') ? open(gate) : has('kanban: asks once') ? half(gate) : gate,
    {
      async claim() {
        const [id, card] = [...board].find(([, it]) => it.state === 'ready') ?? [];
        if (id === undefined || card === undefined) return null;
        card.state = 'claimed';
        await gateway.between(id);
        return card;
      },
      async spawn(card) {
        await waits('kanban');
        card.state = 'spawned';
      },
      giveBack(card) {
        if (has('kanban: marks a failure')) card.failures += 1;
        if (has('kanban: blocks the card')) card.state = 'blocked';
        else if (!has('kanban: keeps the card')) card.state = 'ready';
      },
    },
  );
  const webhook = nodeDoor<IncomingMessage>(gate, { principal: principalOf });
  if (has('work')) {
    gate.onChange(({ engaged }) => {
      if (engaged) for (const it of work) it.ended = true;
    });
  }

  const turn = async (message: Message): Promise<object> => {
    if (!has('control: behind the turn door')) {
      const reply = await controlled(message);
      if (reply !== null) return reply;
    }
    if (has('turn')) return { reply: 'done' };
    if (has('turn: asks once at start')) return atStart.admitted ? { reply: 'done' } : {};
    if (has('turn: leaves no receipts')) {
      const asked = gate.ask({ door: 'turn', principal: message.principal });
      return asked.admitted ? { reply: 'done' } : { notice: asked.notice };
    }
    const asker = has('turn: without its principal') ? { ...message, principal: null } : message;
    const decision = decide(asker);
    if (!decision.serve) return { notice: has('turn: says nothing') ? null : decision.notice };
    const reply = await controlled(message);
    if (reply !== null) return reply;
    await waits('turn');
    count('turn');
    return { reply: 'done' };
  };

  const controlled = async (message: Message): Promise<object | null> => {
    if (has('control')) return null;
    if (has('control: lifts everything') && message.text === '/pause off') {
      lift(disk, home, { everyone: true });
      return { reply: 'resumed' };
    }
    if (has('control: replaces what stands') && message.text.startsWith('/pause')) {
      lift(disk, home, { everyone: true });
    }
    const reply = await control.handle(message);
    return reply && { reply: reply.text };
  };

  /** The status to answer with; null if the door has answered. */
  const hook = async (request: IncomingMessage, response: ServerResponse) => {
    const id = String(request.headers['x-delivery']);
    const principal = principalOf(request);
    const early = has('cron-webhook: before authentication');
    if (early && !gate.ask({ door: 'cron-webhook' }).admitted) return 503;
    if (principal === null) return 401;
    if (has('cron-webhook: after the claim')) {
      if (received.has(id)) return 200;
      received.add(id);
    }
    if (has('cron-webhook: works all the same')) started.add(id);
    if (has('cron-webhook: a bare 503')) {
      if (!gate.admit({ door: 'cron-webhook', principal }).admitted) return 503;
    } else if (!has('cron-webhook') && !webhook(request, response)) return null;
    await waits('cron-webhook');
    started.add(id);
    return 202;
  };

  const dispatch = (principal: string | null): boolean => {
    const root = join(home, '..', '..');
    const sentinels = [home, root].map((dir) => join(dir, 'ESTOP'));
    if (has('dispatch')) return true;
    if (has('dispatch: believes the watcher')) return !believer.isHeld();
    if (has('dispatch: remembers its answer')) {
      if (Date.now() > remembered.untilMs) {
        remembered = { untilMs: Date.now() + 1_000, admitted: admits(principal) };
      }
      return remembered.admitted;
    }
    if (has('dispatch: a file is a hold')) return !sentinels.some((path) => existsSync(path));
    if (has('dispatch: no body is no hold')) return !sentinels.some(isBody) || admits(principal);
    if (has('dispatch: knows the profile only')) return !existsSync(join(home, 'ESTOP'));
    if (has('dispatch: knows the root only')) return !existsSync(join(root, 'ESTOP'));
    return admits(principal);
  };
  const admits = (principal: string | null) => gate.admit({ door: 'dispatch', principal }).admitted;

  const routes: Record<string, (message: Message) => object | Promise<object>> = {
    '/turn': turn,
    '/dispatch': async ({ principal }) => {
      const ran = dispatch(principal);
      if (ran) await waits('dispatch');
      if (ran) count('dispatch');
      return { ran };
    },
    '/tick': async () => {
      if (has('cron')) return { ran: true };
      const ran = has('cron: asks once at start') ? atStart.admitted : gate.dispatch('cron');
      if (ran) await waits('cron');
      if (ran) count('cron');
      return { ran };
    },
    '/sweep': () => catchUp.sweep(),
    '/board': () => cards.tick(),
  };
  const server = createServer(async (request, response) => {
    if (request.url !== '/hook')
      return void answerJson(request, response, routes[request.url ?? '']);
    const status = await hook(request, response);
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway: ReferenceGateway = {
    async send(path, request) {
      if (!isLate) return fetch(url + path, request);
      late.arrives();
      await delay(ARRIVES_AFTER_MS);
      return handOver(server, path, request);
    },
    counted() {
      late.counted();
      return gateway;
    },
    board,
    between: async () => {},
    started,
    missed,
    begun: (door) => begun.get(door) ?? 0,
    beginWork(id) {
      const inHand = has('work: is not on record') ? null : gate.begin({ door: 'turn', id });
      const it = {
        ended: false,
        finish() {
          const whole = !it.ended;
          it.ended = true;
          if (!has('work: stays on record')) inHand?.end();
          return whole;
        },
      };
      work.add(it);
      return it;
    },
    async stop() {
      believer.leave();
      catchUp.close();
      gate.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return gateway;
}

/** A decision takes a moment: after the first hold of the kit, and before its second (10 ms). */
const ARRIVES_AFTER_MS = 5;

/** Trusts pushed states and reads no disk. */
function believerAt(home: string) {
  const profile = basename(home);
  const socket = new Socket();
  let held = false;
  const hear = lineReader((line) => {
    const message = decodeFromWatcher(line);
    if (message.type !== 'state') return;
    held = message.engaged;
    const { epoch, revision } = message;
    socket.write(encode({ type: 'ack', epoch, revision, profile, in_flight: 0 }));
  });
  socket.on('data', (chunk: Buffer) => void hear.push(chunk)).on('error', () => {});
  return {
    link() {
      socket.connect(join(home, '../../.fleet/watcher.sock'));
      const profiles = [{ name: profile, doors: [], in_flight: 0 }];
      const who = { instance: 'believer', pid: process.pid, software: 'believer/1.0' };
      socket.write(encode({ type: 'hello', protocol: PROTOCOL, ...who, profiles }));
    },
    isHeld: () => held,
    leave: () => socket.destroy(),
  };
}

interface Message {
  readonly conversation: string;
  readonly text: string;
  readonly principal: string | null;
}

async function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  route: ((message: Message) => object | Promise<object>) | undefined,
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    const message = { ...JSON.parse(body || '{}'), principal: principalOf(request) } as Message;
    response.end(JSON.stringify((await route?.(message)) ?? {}));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

/** Authentication for tests: trusts the name in the request. */
const principalOf = ({ headers }: IncomingMessage): string | null =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;

const no = () => false;

/** A gate that admits everything. */
const open = (gate: Gate): Gate => ({
  ...gate,
  dispatch: () => true,
  admit: ({ profile = gate.profiles[0] ?? '' }) => ({ admitted: true, profile }),
});

/** Asks before the claim, but not before the spawn. */
const half = (gate: Gate): Gate => ({ ...open(gate), dispatch: gate.dispatch });

function isBody(path: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(path, 'utf8')) === 'object';
  } catch {
    return false;
  }
}
