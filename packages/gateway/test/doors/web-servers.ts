/** One small app per framework, with real HTTP: authenticates, parses, asks the door, claims. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import {
  expressDoor,
  fastifyDoor,
  fetchDoor,
  type Gate,
  honoDoor,
  nodeDoor,
  type OnMistake,
} from '../../src/index.ts';

export interface AppOptions {
  readonly gate: Gate;
  /** From the value of the header `x-key`. */
  readonly authenticate: (key: string | null | undefined) => string | null | undefined;
  readonly onMistake?: OnMistake;
  /** What was claimed, in order. */
  readonly claimed: unknown[];
}

/** Starts the server and returns its address; `/hook` takes JSON. */
export type App = (options: AppOptions) => Promise<string>;

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

async function text(request: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of request) all += chunk;
  return all;
}

function parsed(json: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return null;
  }
}

const node: App = async ({ gate, authenticate, claimed, ...more }) => {
  const door = nodeDoor(gate, {
    ...more,
    principal: (request) => authenticate(first(request.headers['x-key'])),
  });
  const server = createServer(async (request, response) => {
    const body = parsed(await text(request));
    if (body === null) return void response.writeHead(400).end();
    if (!door(request, response)) return;
    claimed.push(body.value);
    response.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const ofExpress: App = async ({ gate, authenticate, claimed, ...more }) => {
  const app = express();
  // Its own error page would print the stack on the terminal.
  app.set('env', 'test');
  app.use(express.json());
  app.post(
    '/hook',
    expressDoor(gate, {
      ...more,
      principal: (request) => authenticate(first(request.headers['x-key'])),
    }),
    (request, response) => {
      claimed.push(request.body);
      response.sendStatus(202);
    },
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const ofFastify: App = async ({ gate, authenticate, claimed, ...more }) => {
  const app = fastify();
  // Like a compression plugin: the reply is only sent after this hook.
  app.addHook('onSend', () => setImmediate());
  const preHandler = fastifyDoor(gate, {
    ...more,
    principal: (request) => authenticate(first(request.headers['x-key'])),
  });
  app.post('/hook', { preHandler }, async (request, reply) => {
    claimed.push(request.body);
    return reply.code(202).send();
  });
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
};

async function served(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ofFetch: App = ({ gate, authenticate, claimed, ...more }) => {
  const door = fetchDoor(gate, {
    ...more,
    principal: (request) => authenticate(request.headers.get('x-key')),
  });
  return served(async (request) => {
    const body = parsed(await request.text());
    if (body === null) return new Response(null, { status: 400 });
    const refused = door(request);
    if (refused !== undefined) return refused;
    claimed.push(body.value);
    return new Response(null, { status: 202 });
  });
};

const ofHono: App = ({ gate, authenticate, claimed, ...more }) => {
  const app = new Hono<{ Variables: { body: unknown } }>();
  app.use(async (c, next) => {
    const body = parsed(await c.req.text());
    if (body === null) return c.body(null, 400);
    c.set('body', body.value);
    return next();
  });
  app.post(
    '/hook',
    honoDoor(gate, { ...more, principal: (c) => authenticate(c.req.header('x-key')) }),
    (c) => {
      claimed.push(c.get('body'));
      return c.body(null, 202);
    },
  );
  return served(app.fetch);
};

export const APPS: readonly (readonly [string, App])[] = [
  ['node:http', node],
  ['Express', ofExpress],
  ['Fastify', ofFastify],
  ['Fetch', ofFetch],
  ['Hono', ofHono],
];
