/**
 * Unexpected requests: each is answered or ended, nothing breaks, and nothing stays open.
 */

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restingDescriptors, untilDescriptors } from '../support/descriptors.ts';
import { startWatcherProcess } from '../support/process.ts';
import { ask, served, writeToken } from '../support/served.ts';
import { makeRoot } from '../support/watched.ts';

const openDescriptors = () => readdirSync('/proc/self/fd').length;

const path = fc.oneof(
  fc.constantFrom(
    '/',
    '/v1/state',
    '/v1/holds',
    '/v1/holds/x',
    '/v1/profiles/lane-a',
    '/v1/events?recent=1',
    '/v1/refusals',
  ),
  fc
    .record({
      key: fc.constantFrom('profile', 'door', 'since', 'limit', 'x'),
      value: fc.string({ unit: 'binary', maxLength: 20 }),
    })
    .map(({ key, value }) => `/v1/refusals?${key}=${encodeURIComponent(value.toWellFormed())}`),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .map((text) => `/${encodeURIComponent(text.toWellFormed())}`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }).map((url) => new URL(url).pathname),
);
const requests = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'),
  path,
  type: fc.constantFrom('application/json', 'text/plain', ''),
  body: fc.oneof(fc.json(), fc.string({ maxLength: 200 }), fc.constant('x'.repeat(70_000))),
  lastId: fc.oneof(fc.string({ maxLength: 30 }).map(encodeURIComponent), fc.constant('0-0')),
});

test('strange requests are answered with a status that is no failure of ours', {
  timeout: 60_000,
}, async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  await fleet.ask('/healthz');
  const before = openDescriptors();
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, path, type, body, lastId }) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': type,
        'last-event-id': lastId,
      };
      const target = { host: '127.0.0.1', port: fleet.port, path, method, headers };
      if (method === 'GET' && path.startsWith('/v1/events')) {
        const stream = await fleet.stream(path, { headers });
        expect(stream.status).toBe(200);
        stream.close();
        return;
      }
      const hasBody = method !== 'GET' && method !== 'HEAD';
      // Whoever is refused in the middle of a body may find the connection closed.
      const { status } = await ask({ ...target, ...(hasBody ? { body } : {}) }).catch(() => ({
        status: 400,
      }));
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
  expect((await fleet.ask('/healthz')).status).toBe(200);
  await vanish(() => openDescriptors() <= before + 2);
  expect(fleet.log.filter(({ message }) => message === 'a request failed')).toEqual([]);
});

test('strange bytes end their connection, and nothing else', { timeout: 60_000 }, async () => {
  const fleet = await served();
  await fleet.ask('/healthz');
  const before = openDescriptors();
  const start = fc.constantFrom(
    '',
    'GET / HTTP/1.1\r\n',
    'POST /v1/holds HTTP/1.1\r\nHost: localhost\r\n',
  );
  await fc.assert(
    fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), async (head, bytes) => {
      const socket = connect(fleet.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.write(head);
      socket.end(bytes);
      await once(socket, 'close');
    }),
    { numRuns: 200 },
  );
  expect((await fleet.ask('/healthz')).status).toBe(200);
  await vanish(() => openDescriptors() <= before + 2);
});

test('what is asked by halves and abandoned leaves the watcher no descriptor', {
  timeout: 60_000,
}, async () => {
  const root = makeRoot('lane-a');
  const watcher = startWatcherProcess(root, '--port', '0');
  const { url } = await watcher.logged('http is served', (line) => line['url'] !== undefined);
  await watcher.logged('watching');
  const places = [
    { host: '127.0.0.1', port: Number(new URL(url).port) },
    { path: join(root, '.fleet/http.sock') },
  ];
  const isServed = async () => {
    const [tcp, unix] = places;
    expect((await ask({ ...tcp, path: '/healthz' })).status).toBe(200);
    expect((await ask({ socketPath: unix?.path, path: '/healthz' })).status).toBe(200);
  };
  await isServed();
  const before = await restingDescriptors(watcher.pid);
  for (const place of places) {
    for (const head of [
      'GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /v1/state HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /v1/state HTTP/1.1\r\nHost: loc',
      'POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"root"',
      '',
    ]) {
      const open = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = connect(place);
          socket.on('error', () => {});
          await once(socket, 'connect');
          socket.write(head);
          return socket;
        }),
      );
      await isServed();
      for (const [at, socket] of open.entries()) {
        if (at % 2 === 0 && 'port' in place) socket.resetAndDestroy();
        else socket.destroy();
      }
    }
  }
  await untilDescriptors(watcher.pid, before);
  await isServed();
});

/** Closed connections leave in their own time. */
async function vanish(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 20));
}
