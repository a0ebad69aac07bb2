/**
 * The content of a stream, how it resumes, and how it is bounded.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { arm, lift } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { feed } from '../../src/serve/feed.ts';
import { createStore } from '../../src/state/store.ts';
import { served } from '../support/served.ts';
import { fleet as made } from '../support/states.ts';
import { disk, makeRoot } from '../support/watched.ts';

test('a stream begins with the whole state, and then tells every event as a CloudEvent', async () => {
  const fleet = await served();
  const stream = await fleet.stream();
  expect(stream.status).toBe(200);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const snapshot = await stream.until(() => true);
  expect([snapshot.event, snapshot.data.schema]).toEqual(['snapshot', 'fleet/state/v1']);
  arm(disk, join(fleet.root, 'profiles/lane-a'), { reason: 'bad deploy' });
  const armed = await stream.until(({ data }) => data.type === 'hold.armed');
  const { epoch } = fleet.watcher.store.snapshot();
  expect(armed.event).toBe('message');
  expect(armed.id).toBe(`${epoch}-${armed.data.revision}`);
  expect(armed.data).toMatchObject({
    specversion: '1.0',
    id: armed.id,
    subject: 'profile/lane-a',
    datacontenttype: 'application/json',
    data: { profile: 'lane-a', hold: { reason: 'bad deploy' } },
  });
  expect(armed.data.source).toMatch(/^file:\/\/.*fleet-watch-/);
  await stream.until(({ data }) => data.type === 'profile.paused');
});

test('whoever comes back with the last id gets what was missed, and no snapshot', async () => {
  const fleet = await served();
  const first = await fleet.stream();
  const snapshot = await first.until(({ event }) => event === 'snapshot');
  arm(disk, fleet.root, {});
  await first.until(({ data }) => data.type === 'profile.paused');
  first.close();
  for (const again of [
    await fleet.stream('/v1/events', { headers: { 'last-event-id': `${snapshot.id}` } }),
    await fleet.stream(`/v1/events?last_event_id=${snapshot.id}`),
  ]) {
    await again.until(({ data }) => data.type === 'profile.paused');
    expect(again.messages.map(({ event, data }) => data.type ?? event)).toEqual([
      'heartbeat',
      'hold.armed',
      'profile.paused',
      'profile.paused',
    ]);
  }
});

test('an id of another run, of nobody, or of the future is a gap, and then a snapshot', async () => {
  const fleet = await served();
  const { epoch } = fleet.watcher.store.snapshot();
  for (const [id, why] of [
    ['0123456789abcdef-3', 'another-run'],
    ['nonsense', 'not-understood'],
    [`${epoch}-999999`, 'not-understood'],
  ] as const) {
    const stream = await fleet.stream('/v1/events', { headers: { 'last-event-id': id } });
    await stream.until(({ event }) => event === 'snapshot');
    const [gap, snapshot] = stream.messages;
    expect(gap).toMatchObject({ event: 'gap', id: null, data: { epoch, after: id, why } });
    expect(snapshot?.event).toBe('snapshot');
    stream.close();
  }
});

test('a heartbeat comes again and again, and at once when the revision grew without an event', async () => {
  const fleet = await served(undefined, { heartbeatMs: 30 }, { graceMs: 600_000 });
  arm(disk, fleet.root, { holder: 'one' });
  arm(disk, fleet.root, { holder: 'two' });
  const stream = await fleet.stream();
  await stream.until(({ event }) => event === 'heartbeat');
  // One of two holds goes and nobody knows why yet: a new state, and nothing to tell about it.
  lift(disk, fleet.root, { holder: 'one' });
  const { revision } = fleet.watcher.store.snapshot();
  const beat = await stream.until(
    ({ event, data }) => event === 'heartbeat' && data.revision > revision,
  );
  expect(beat.data).toMatchObject({ ready: true, blind: [] });
});

test('past events follow the snapshot for a reader that asks for them', async () => {
  const fleet = await served();
  const first = await fleet.stream();
  arm(disk, fleet.root, {});
  await first.until(({ data }) => data.subject === 'profile/lane-b');
  const stream = await fleet.stream('/v1/events?recent=1');
  await stream.until(({ data }) => data.subject === 'profile/lane-b');
  expect(stream.messages.map(({ event }) => event)).toEqual(['snapshot', 'message', 'heartbeat']);
  expect((await fleet.ask('/v1/events?recent=many')).status).toBe(400);
});

test('past events have no id of the stream: none is said twice, and none goes back', async () => {
  const fleet = await served();
  const first = await fleet.stream();
  arm(disk, fleet.root, {});
  await first.until(({ data }) => data.subject === 'profile/lane-b');
  const stream = await fleet.stream('/v1/events?recent=3');
  lift(disk, fleet.root, { everyone: true });
  await stream.until(({ data }) => data.type === 'profile.running');
  const ids = stream.messages.flatMap(({ id }) => (id === null ? [] : [Number(id.split('-')[1])]));
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  const told = stream.messages.flatMap(({ event, data }) => (event === 'message' ? [data.id] : []));
  expect(new Set(told).size).toBe(told.length);
  expect(told.length).toBeGreaterThan(3);
});

test('a reader that falls behind the log gets a gap, and costs no memory of its own', async () => {
  const store = createStore(made({ a: [] }), { logCapacity: 10 });
  const events = feed({
    store,
    source: 'file:///f',
    state: () => '{}',
    heartbeatData: () => ({}),
    heartbeatMs: 60_000,
  });
  const reader = events.open(null);
  expect(await reader.next()).toContain('event: snapshot');
  for (let n = 0; n < 100; n++) store.record('config.rejected', 'config', { n });
  expect(await reader.next()).toMatch(/event: gap\ndata: .*"why":"too-old".*\n\nevent: snapshot/);
  store.record('config.rejected', 'config', { n: 'last' });
  expect(await reader.next()).toContain('"n":"last"');
  expect(events.gaps).toBe(1);
  reader.close();
  expect(await reader.next()).toBeNull();
  expect(events.readers).toBe(0);
  events.close();
});

test('a reader never misses and never repeats an event, however it is interleaved', async () => {
  const store = createStore(made({ a: [] }));
  const events = feed({
    store,
    source: 'file:///f',
    state: () => '{}',
    heartbeatData: () => ({}),
    heartbeatMs: 60_000,
  });
  const reader = events.open(null);
  await reader.next();
  const seen: number[] = [];
  const reading = (async () => {
    while (seen.length < 500) {
      for (const [, n] of `${await reader.next()}`.matchAll(/"n":(\d+)/g)) seen.push(Number(n));
    }
  })();
  for (let n = 0; n < 500; n++) {
    store.record('config.rejected', 'config', { n });
    if (n % 7 === 0) await Promise.resolve();
    if (n % 50 === 0) await new Promise(setImmediate);
  }
  await reading;
  expect(seen).toEqual([...Array(500).keys()]);
  events.close();
});

test('a reader that does not read is let go, and delays no other', async () => {
  const fleet = await served(undefined, { writeTimeoutMs: 200 });
  const { store } = fleet.watcher;
  const deaf = connect(fleet.port, '127.0.0.1');
  deaf.on('error', () => {});
  deaf.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(deaf, 'readable');
  const other = await fleet.stream();
  let n = 0;
  const readersOf = async () =>
    /^fleet_stream_readers (\d)$/m.exec((await fleet.ask('/metrics')).text)?.[1];
  while ((await readersOf()) !== '1') {
    // More than the buffers of two kernels hold.
    for (let more = 0; more < 500; more++) {
      n += 1;
      store.record('config.rejected', 'config', { n, text: 'x'.repeat(2_000) });
    }
    await other.until(({ data }) => data.data?.n === n);
  }
  expect((await fleet.ask('/metrics')).text).toMatch(
    /^fleet_stream_dropped_total\{why="slow"\} 1$/m,
  );
  deaf.destroy();
});

test('a stream that stays open keeps nothing of what it has said', async () => {
  const fleet = await served();
  const { store } = fleet.watcher;
  const stream = await fleet.stream();
  let n = 0;
  const say = async (count: number) => {
    for (const end = n + count; n < end; ) {
      n += 1;
      store.record('config.rejected', 'config', { n });
      // One writing each.
      await stream.until(({ data }) => data.data?.n === n);
    }
  };
  const promises = () => Number(queryObjects(Promise));
  await say(50);
  const before = promises();
  await say(500);
  expect(promises() - before).toBeLessThan(100);
});

test('a leaving watcher ends its streams', async () => {
  const fleet = await served(makeRoot('lane-a'));
  const stream = await fleet.stream();
  await stream.until(({ event }) => event === 'snapshot');
  await fleet.watcher.close();
  await stream.ended;
});
