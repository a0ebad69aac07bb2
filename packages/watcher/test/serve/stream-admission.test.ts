/**
 * Which streams are admitted when the limit is reached, and which are evicted.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { feed } from '../../src/serve/feed.ts';
import { listenOnTcp } from '../../src/serve/listener.ts';
import { streams } from '../../src/serve/stream.ts';
import {
  STREAM_LIMITS,
  type StreamLimits,
  streamAdmission,
} from '../../src/serve/stream-admission.ts';
import { createStore } from '../../src/state/store.ts';
import {
  type EventStream,
  openStream,
  type ServedFleet,
  served,
  writeToken,
} from '../support/served.ts';
import { fleet as made } from '../support/states.ts';

const withLimits = (limits: Partial<StreamLimits>, more: { writeTimeoutMs?: number } = {}) =>
  served(undefined, { streamLimits: limits, ...more });

const by = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const open = (fleet: ServedFleet, address?: string) =>
  fleet.stream('/v1/events', address === undefined ? {} : by(address));
const openMany = (count: number, one: (at: number) => Promise<EventStream>) =>
  Promise.all(Array.from({ length: count }, (_, at) => one(at)));
const statuses = (streams: readonly EventStream[]) => streams.map(({ status }) => status);

const sample = async (fleet: ServedFleet, series: string) => {
  const { text } = await fleet.ask('/metrics');
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
};
/** Who has left is known when the connection has ended at the other end, too. */
const untilReaders = async (fleet: ServedFleet, count: number) => {
  while ((await sample(fleet, 'fleet_stream_readers')) !== count) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const isOpen = async (stream: EventStream) => {
  const ended = stream.ended.then(() => false);
  const beats = stream.messages.length;
  const heard = stream.until(() => stream.messages.length > beats).then(() => true);
  return Promise.race([ended, heard]);
};

test('a client at its cap is refused, and keeps nobody else out', async () => {
  const fleet = await withLimits({ client: 3 });
  const crowd = await openMany(3, () => open(fleet, '192.0.2.1'));
  expect(statuses(crowd)).toEqual([200, 200, 200]);
  const { status, json, headers } = await fleet.ask('/v1/events', by('192.0.2.1'));
  expect([status, json.schema, json.code]).toEqual([503, 'fleet/error/v1', 'too-many-streams']);
  expect(json.message).toContain('3 streams of `192.0.2.1`');
  expect(json.hint).toContain('token');
  expect(Number(headers['retry-after'])).toBeGreaterThan(20);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30);
  for (const other of [await open(fleet, '192.0.2.2'), await open(fleet)]) {
    expect(other.status).toBe(200);
    await other.until(({ event }) => event === 'snapshot');
  }
  expect(await sample(fleet, 'fleet_stream_refused_total{cap="client"}')).toBe(1);
  expect(await sample(fleet, 'fleet_stream_refused_total{cap="named"}')).toBe(0);
});

test('ports, and what a client wrote into the header itself, make it no other client', async () => {
  const fleet = await withLimits({ client: 2 });
  await openMany(2, (at) => open(fleet, `198.51.100.${at}, 192.0.2.1:${5_000 + at}`));
  expect((await open(fleet, '198.51.100.9, 192.0.2.1')).status).toBe(503);
  const forwarded = { headers: { forwarded: 'for="192.0.2.1:9";proto=https' } };
  expect((await fleet.stream('/v1/events', forwarded)).status).toBe(503);
});

test('the operator gets a stream by the token and by the unix socket while the other limits are reached', async () => {
  const fleet = await withLimits({ named: 2, unnamed: 2 });
  const token = writeToken(fleet.root);
  const bearer = (text: string) => ({ headers: { authorization: text } });
  await openMany(2, () => open(fleet));
  await openMany(2, (at) => open(fleet, `192.0.2.${at}`));
  expect((await open(fleet)).status).toBe(503);
  expect((await open(fleet, '192.0.2.9')).status).toBe(503);
  for (const wrong of [`Bearer ${token.slice(1)}`, 'Bearer ', 'Basic b3BzOnNlY3JldA==', token]) {
    expect([wrong, (await fleet.stream('/v1/events', bearer(wrong))).status]).toEqual([wrong, 503]);
  }
  const operators = [
    await fleet.stream('/v1/events', bearer(`Bearer ${token}`)),
    await openStream({ socketPath: fleet.socket, path: '/v1/events' }),
  ];
  for (const operator of operators) {
    expect(operator.status).toBe(200);
    await operator.until(({ event }) => event === 'snapshot');
  }
  expect(await sample(fleet, 'fleet_stream_refused_total{cap="unnamed"}')).toBe(5);
  expect(JSON.stringify(fleet.log)).not.toContain(token);
});

test('those with the token, and those on the unix socket, are bounded too, each by a cap that is named', async () => {
  const fleet = await withLimits({ token: 1, socket: 1 });
  const authorization = `Bearer ${writeToken(fleet.root)}`;
  const places = [
    { asked: { host: '127.0.0.1', port: fleet.port, headers: { authorization } }, cap: 'token' },
    { asked: { socketPath: fleet.socket }, cap: 'socket' },
  ];
  for (const { asked, cap } of places) {
    expect((await openStream({ ...asked, path: '/v1/events' })).status).toBe(200);
    expect((await openStream({ ...asked, path: '/v1/events' })).status).toBe(503);
    expect(await sample(fleet, `fleet_stream_refused_total{cap="${cap}"}`)).toBe(1);
  }
  expect((await open(fleet)).status).toBe(200);
});

test('who makes up a name for each stream gets no more than the named have, and nothing of the others', async () => {
  const fleet = await served();
  const streams = await openMany(STREAM_LIMITS.named + 40, (at) =>
    open(fleet, `10.0.${at >> 8}.${at & 255}`),
  );
  expect(statuses(streams).filter((status) => status === 200)).toHaveLength(STREAM_LIMITS.named);
  expect(await sample(fleet, 'fleet_stream_readers')).toBe(STREAM_LIMITS.named);
  expect(await sample(fleet, 'fleet_stream_refused_total{cap="named"}')).toBe(40);
  const direct = await open(fleet);
  await direct.until(({ event }) => event === 'snapshot');
  expect(await sample(fleet, 'fleet_stream_readers')).toBe(STREAM_LIMITS.named + 1);
});

test('a client that invents a name for each stream keeps no other out for longer than the minimum time', async () => {
  const fleet = await withLimits({ named: 4, evictableAfterMs: 1_500 });
  const forged: EventStream[] = [];
  for (let at = 0; at < 4; at++) forged.push(await open(fleet, `10.0.0.${at}`));
  const early = await fleet.ask('/v1/events', by('192.0.2.1'));
  expect([early.status, early.headers['retry-after']]).toEqual([
    503,
    expect.stringMatching(/^[12]$/),
  ]);
  expect(early.json.message).toContain('4 streams of named clients');
  let late = await open(fleet, '192.0.2.1');
  while (late.status === 503) late = await open(fleet, '192.0.2.1');
  // The oldest of them has ended, and whoever reads it can tell that it ended whole.
  await forged[0]?.ended;
  expect(forged[0]?.response.complete).toBe(true);
  await untilReaders(fleet, 4);
  expect(await sample(fleet, 'fleet_stream_dropped_total{why="gave-way"}')).toBe(1);
});

test('when the limit is reached, whoever has most gives way first, and one with a single stream stays', async () => {
  const fleet = await withLimits({ named: 5, client: 4, evictableAfterMs: 0 });
  const single = await open(fleet, '192.0.2.1');
  const crowd: EventStream[] = [];
  for (let n = 0; n < 4; n++) crowd.push(await open(fleet, '192.0.2.2'));
  for (let n = 3; n < 6; n++) expect((await open(fleet, `192.0.2.${n}`)).status).toBe(200);
  await Promise.all(crowd.slice(0, 3).map(({ ended }) => ended));
  await untilReaders(fleet, 5);
  expect(single.response.closed).toBe(false);
  expect(crowd[3]?.response.closed).toBe(false);
});

test('where no proxy names anybody, the newest gets in, and the oldest goes on after the last it saw', async () => {
  const fleet = await served(undefined, {
    streamLimits: { unnamed: 2, evictableAfterMs: 0 },
    heartbeatMs: 30,
  });
  const oldest = await open(fleet);
  const { id } = await oldest.until(({ event }) => event === 'snapshot');
  const other = await open(fleet);
  const newest = await open(fleet);
  await newest.until(({ event }) => event === 'snapshot');
  await oldest.ended;
  fleet.watcher.store.record('config.rejected', 'config', { path: 'p' });
  const again = await fleet.stream('/v1/events', { headers: { 'last-event-id': `${id}` } });
  await again.until(({ data }) => data.type === 'config.rejected');
  expect(again.messages.map(({ event }) => event)).not.toContain('snapshot');
  await other.ended;
  expect([await isOpen(newest), await isOpen(again)]).toEqual([true, true]);
});

test('an evicted stream that does not read keeps neither its slot nor its connection', async () => {
  const fleet = await withLimits({ unnamed: 1, evictableAfterMs: 0 }, { writeTimeoutMs: 60_000 });
  const deaf = connect(fleet.port, '127.0.0.1');
  deaf.on('error', () => {});
  deaf.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(deaf, 'readable');
  // More than the buffers of two kernels hold.
  for (let n = 0; n < 10_000; n++) {
    fleet.watcher.store.record('config.rejected', 'config', { n, text: 'x'.repeat(2_000) });
    if (n % 30 === 0) await new Promise(setImmediate);
  }
  const newcomer = await open(fleet);
  expect(newcomer.status).toBe(200);
  let said = '';
  deaf.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-100);
  });
  await once(deaf, 'close');
  // Cut off, and not ended in an orderly way once it reads.
  expect(said).not.toMatch(/\r\n0\r\n\r\n$/);
  await untilReaders(fleet, 1);
});

test('a stream that is closed frees its slot', async () => {
  const fleet = await withLimits({ client: 1, unnamed: 1 });
  for (const address of ['192.0.2.1', undefined]) {
    for (let turn = 0; turn < 3; turn++) {
      const stream = await open(fleet, address);
      expect(stream.status).toBe(200);
      expect((await open(fleet, address)).status).toBe(503);
      stream.close();
      await untilReaders(fleet, 0);
    }
  }
});

test('one connection has one stream, however many it asks for, and takes all of it along', async () => {
  const fleet = await withLimits({ unnamed: 3 });
  const greedy = connect(fleet.port, '127.0.0.1');
  greedy.on('error', () => {});
  greedy.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
  await once(greedy, 'readable');
  greedy.resume();
  await open(fleet);
  expect(await sample(fleet, 'fleet_stream_readers')).toBe(2);
  greedy.destroy();
  await untilReaders(fleet, 1);
});

test('a stream that waits behind an answer that never comes ends with its connection', async () => {
  const store = createStore(made({ a: [] }));
  const events = feed({
    store,
    source: 'file:///f',
    state: () => '{}',
    heartbeatData: () => ({}),
    heartbeatMs: 60_000,
  });
  const whoAsks = () => ({ kind: 'unnamed', name: '' }) as const;
  const admission = streamAdmission(STREAM_LIMITS);
  const all = { feed: events, admission, whoAsks, writeTimeoutMs: 60_000 };
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/never', () => new Promise<Response>(() => {}));
  app.get('/v1/events', streams(all).handler);
  const listener = await listenOnTcp(app.fetch, 0);
  onTestFinished(() => {
    events.close();
    return listener.close();
  });
  const socket = connect(listener.port, '127.0.0.1');
  const [never, stream] = ['/never', '/v1/events'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  socket.write(`${never}${stream}`);
  while (events.readers < 1) await new Promise(setImmediate);
  socket.destroy();
  while (events.readers > 0) await new Promise(setImmediate);
});

test('nobody gives way twice, however many come at once', () => {
  const admission = streamAdmission({ ...STREAM_LIMITS, unnamed: 3, evictableAfterMs: 0 });
  const gone: number[] = [];
  for (let n = 0; n < 6; n++) {
    admission.admit({ kind: 'unnamed', name: '' }, () => void gone.push(n));
  }
  expect(gone).toEqual([0, 1, 2]);
  expect(admission.evicted).toBe(3);
});

test('eight tabs of one browser have a stream each, by whatever way they come', async () => {
  const fleet = await served();
  for (const address of ['192.0.2.1', undefined]) {
    const tabs = await openMany(8, () => open(fleet, address));
    await Promise.all(tabs.map((tab) => tab.until(({ event }) => event === 'snapshot')));
  }
  expect(await sample(fleet, 'fleet_stream_readers')).toBe(16);
  expect(await sample(fleet, 'fleet_stream_dropped_total{why="gave-way"}')).toBe(0);
});

test('a HEAD request takes no slot', async () => {
  const fleet = await withLimits({ unnamed: 1, evictableAfterMs: 0 });
  const stream = await open(fleet);
  const { status, headers } = await fleet.ask('/v1/events', { method: 'HEAD' });
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
  expect(await sample(fleet, 'fleet_stream_readers')).toBe(1);
  expect(stream.response.closed).toBe(false);
});
