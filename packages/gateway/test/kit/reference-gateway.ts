/**
 * A small real gateway with every door, served over HTTP, of which one guard at a time can be left out
 * or made wrong. How the kit reaches it is `reference-adapter.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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

/** `<door>`: it asks nobody. `<door>: <what>`: it is wrong in that way. */
export type Flaw =
  | 'turn'
  | 'turn: asks once at start'
  | 'turn: without its principal'
  | 'turn: leaves no receipts'
  | 'turn: repeats the notice'
  | 'turn: says nothing'
  | 'cron'
  | 'cron: asks once at start'
  | 'cron-misfire'
  | 'cron-webhook'
  | 'cron-webhook: before authentication'
  | 'cron-webhook: after the claim'
  | 'cron-webhook: a bare 503'
  | 'cron-webhook: works all the same'
  | 'kanban'
  | 'kanban: asks once'
  | 'kanban: keeps the card'
  | 'kanban: marks a failure'
  | 'kanban: blocks the card'
  | 'dispatch'
  | 'dispatch: knows the profile only'
  | 'dispatch: knows the root only'
  | 'dispatch: a file is a hold'
  | 'dispatch: no body is no hold'
  | 'work'
  | 'control'
  | 'control: behind the turn door'
  | 'control: anybody may'
  | 'control: lifts everything'
  | 'control: replaces what stands';

export interface Card {
  state: 'ready' | 'claimed' | 'spawned' | 'blocked';
  failures: number;
}

export interface ReferenceGateway {
  readonly url: string;
  readonly board: Map<string, Card>;
  /** Told right after a claim. */
  between: (id: string) => Promise<void>;
  readonly started: ReadonlySet<string>;
  readonly missed: Set<string>;
  readonly work: Map<string, { ended: boolean }>;
  stop(): Promise<void>;
}

export async function referenceGateway(home: string, flaw?: Flaw): Promise<ReferenceGateway> {
  const gate = openGate({ home, software: 'reference/1.0', link: false, resumeSpreadMs: 0 });
  const has = (name: Flaw) => flaw === name;
  const started = new Set<string>();
  const received = new Set<string>();
  const missed = new Set<string>();
  const board = new Map<string, Card>();
  const work = new Map<string, { ended: boolean }>();
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
      spawn(card) {
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
      if (engaged) for (const it of work.values()) it.ended = true;
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
    return (await controlled(message)) ?? { reply: 'done' };
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

  /** The status to answer with; null: the door has answered. */
  const hook = (request: IncomingMessage, response: ServerResponse): number | null => {
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
    started.add(id);
    return 202;
  };

  const dispatch = (principal: string | null): boolean => {
    const root = join(home, '..', '..');
    const sentinels = [home, root].map((dir) => join(dir, 'ESTOP'));
    if (has('dispatch')) return true;
    if (has('dispatch: a file is a hold')) return !sentinels.some((path) => existsSync(path));
    if (has('dispatch: no body is no hold')) return !sentinels.some(isBody) || admits(principal);
    if (has('dispatch: knows the profile only')) return !existsSync(join(home, 'ESTOP'));
    if (has('dispatch: knows the root only')) return !existsSync(join(root, 'ESTOP'));
    return admits(principal);
  };
  const admits = (principal: string | null) => gate.admit({ door: 'dispatch', principal }).admitted;

  const routes: Record<string, (message: Message) => object | Promise<object>> = {
    '/turn': turn,
    '/dispatch': ({ principal }) => ({ ran: dispatch(principal) }),
    '/tick': () => {
      if (has('cron')) return { ran: true };
      return { ran: has('cron: asks once at start') ? atStart.admitted : gate.dispatch('cron') };
    },
    '/sweep': () => catchUp.sweep(),
    '/board': () => cards.tick(),
  };
  const server = createServer((request, response) => {
    if (request.url !== '/hook')
      return void answerJson(request, response, routes[request.url ?? '']);
    const status = hook(request, response);
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const gateway: ReferenceGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    board,
    between: async () => {},
    started,
    missed,
    work,
    async stop() {
      catchUp.close();
      gate.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return gateway;
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

/** A sample of authentication: whoever knows the name is believed. */
const principalOf = ({ headers }: IncomingMessage): string | null =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;

const no = () => false;

/** A gate whose door says yes to all. */
const open = (gate: Gate): Gate => ({
  ...gate,
  dispatch: () => true,
  admit: ({ profile = gate.profiles[0] ?? '' }) => ({ admitted: true, profile }),
});

/** Asked before the claim, and not before the spawn. */
const half = (gate: Gate): Gate => ({ ...open(gate), dispatch: gate.dispatch });

function isBody(path: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(path, 'utf8')) === 'object';
  } catch {
    return false;
  }
}
