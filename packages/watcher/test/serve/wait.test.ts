/**
 * `/v1/wait`: the state, as soon as it is another one than the client knows.
 */
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { describe, expect, test } from 'vitest';
import { parseWaitQuery } from '../../src/serve/wait.ts';
import { type Answer, ask, type ServedFleet, served } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

const AT = '2026-11-29T17:00:00.000+00:00';
const gateway = (instance: string, profile: string, acknowledged: number | null = null) => ({
  instance,
  pid: 7,
  software: 's',
  link: 'connected' as const,
  connected_at: AT,
  last_seen_at: AT,
  gone_at: null,
  profiles: [
    { name: profile, doors: [], in_flight: 0, refused: 0, acknowledged, acknowledged_at: null },
  ],
});

/** Resolves when the watcher has begun to answer every request before this one. */
const afterOthers = (fleet: ServedFleet): Promise<Answer> => fleet.ask('/v1/wait');
const tagOf = ({ headers }: Answer): string => headers.etag ?? '';
const after = (tag: string) => ({ headers: { 'if-none-match': tag } });
const holdOf = (fleet: ServedFleet, name: string) =>
  arm(disk, join(fleet.root, 'profiles', name), { reason: 'r' });

test('without a tag it answers at once, with the state and its verdicts', async () => {
  const fleet = await served();
  const { status, json } = await fleet.ask('/v1/wait');
  expect(status).toBe(200);
  expect(json).toMatchObject({ schema: 'fleet/state/v1', starting: false, gateways: [] });
  expect(json.profiles[0]).toMatchObject({
    name: 'lane-a',
    acknowledgement: { verdict: 'unserved', why: null, connected: 0, acknowledged: 0 },
  });
});

test('a hold on disk and an acknowledgement each end a wait that names the state before', async () => {
  const fleet = await served();
  let tag = tagOf(await fleet.ask('/v1/wait?profile=lane-a'));
  const held = fleet.ask('/v1/wait?profile=lane-a', after(tag));
  await afterOthers(fleet);
  holdOf(fleet, 'lane-a');
  const { status, json, headers } = await held;
  expect(status).toBe(200);
  expect(json.profiles[0]).toMatchObject({ name: 'lane-a', engaged: true });
  tag = headers.etag ?? '';
  const { store } = fleet.watcher;
  for (const [acknowledged, verdict] of [
    [null, 'not-acknowledged'],
    [json.profiles[0].revision, 'acknowledged'],
  ]) {
    const waiting = fleet.ask('/v1/wait?profile=lane-a', after(tag));
    store.setGateways([gateway('g', 'lane-a', acknowledged)]);
    const next = await waiting;
    expect(next.json.profiles[0].acknowledgement.verdict).toBe(verdict);
    tag = tagOf(next);
  }
});

test('the end of the first seconds ends a wait', async () => {
  const fleet = await served(makeRoot('lane-a'), {}, { startingMs: 300 });
  const first = await fleet.ask('/v1/wait');
  expect(first.json).toMatchObject({ starting: true });
  expect(first.json.profiles[0].acknowledgement).toMatchObject({
    verdict: 'unknown',
    why: 'watcher-starting',
  });
  const { json } = await fleet.ask('/v1/wait', after(tagOf(first)));
  expect(json).toMatchObject({ starting: false });
  expect(json.profiles[0].acknowledgement).toMatchObject({ verdict: 'unserved', why: null });
});

test('what concerns other profiles, and what was merely seen again, is no change: 304 at the timeout', async () => {
  const fleet = await served();
  const { store } = fleet.watcher;
  store.setGateways([gateway('g', 'lane-a')]);
  const tag = tagOf(await fleet.ask('/v1/wait?profile=lane-a'));
  const waiting = fleet.ask('/v1/wait?profile=lane-a&timeout=500', after(tag));
  await afterOthers(fleet);
  holdOf(fleet, 'lane-b');
  const later = { ...gateway('g', 'lane-a'), last_seen_at: '2026-11-29T17:00:09.000+00:00' };
  store.setGateways([later, gateway('h', 'lane-b')]);
  const { status, headers, text } = await waiting;
  expect({ status, tag: headers.etag, text }).toEqual({ status: 304, tag, text: '' });
});

test('only the named profiles are in the answer, and the gateways that serve them', async () => {
  const fleet = await served();
  fleet.watcher.store.setGateways([gateway('g', 'lane-a'), gateway('h', 'lane-b')]);
  const { json } = await fleet.ask('/v1/wait?profile=lane-b&profile=no-such-lane');
  expect(json.profiles).toMatchObject([{ name: 'lane-b' }]);
  expect(json.gateways).toMatchObject([{ instance: 'h' }]);
});

test('a burst of changes is one answer', async () => {
  const fleet = await served();
  const { store } = fleet.watcher;
  let tag = tagOf(await fleet.ask('/v1/wait'));
  const began = performance.now();
  let answers = 0;
  for (; performance.now() - began < 1_000; answers += 1) {
    store.setGateways([gateway(`g${answers}`, 'lane-a')]);
    tag = tagOf(await fleet.ask('/v1/wait', after(tag)));
  }
  const tookMs = performance.now() - began;
  expect(answers).toBeGreaterThan(1);
  expect(answers).toBeLessThanOrEqual(tookMs / 20 + 1);
});

describe('limits', () => {
  const limits = { streamLimits: { unnamed: 1, socket: 1 } };

  test('a wait has a place of a stream, and gives it back when its client goes', async () => {
    const fleet = await served(makeRoot('lane-a'), limits);
    const tag = tagOf(await fleet.ask('/v1/wait'));
    /** The server notices some time after the client that a connection has ended. */
    const admitted = async (path: string): Promise<Answer> => {
      for (;;) {
        const answer = await fleet.ask(path, after(tag));
        if (answer.status !== 503) return answer;
      }
    };
    const stream = await fleet.stream();
    const refused = await fleet.ask('/v1/wait', after(tag));
    expect(refused.status).toBe(503);
    expect(refused.json.code).toBe('too-many-streams');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // The unix socket has its own limit.
    const elsewhere = { socketPath: fleet.socket, path: '/v1/wait?timeout=0', ...after(tag) };
    expect((await ask(elsewhere)).status).toBe(304);
    stream.close();
    expect((await admitted('/v1/wait?timeout=0')).status).toBe(304);
    const leaving = new AbortController();
    const left = fleet.ask('/v1/wait', { ...after(tag), signal: leaving.signal });
    await afterOthers(fleet);
    expect((await fleet.ask('/v1/wait', after(tag))).status).toBe(503);
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect((await admitted('/v1/wait?timeout=0')).status).toBe(304);
  });

  test('a leaving watcher answers those who wait', async () => {
    const fleet = await served();
    const tag = tagOf(await fleet.ask('/v1/wait'));
    const waiting = fleet.ask('/v1/wait', after(tag));
    await afterOthers(fleet);
    await fleet.watcher.close();
    expect((await waiting).status).toBe(304);
  });

  test('HEAD does not wait', async () => {
    const fleet = await served();
    const tag = tagOf(await fleet.ask('/v1/wait'));
    expect((await fleet.ask('/v1/wait', { ...after(tag), method: 'HEAD' })).status).toBe(304);
  });

  test('another host name or origin is refused', async () => {
    const fleet = await served();
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      expect((await fleet.ask('/v1/wait', { headers })).status).toBe(403);
    }
  });
});

test.each([
  [{}, { profiles: [], timeoutMs: 20_000 }],
  [{ timeout: ['999999'] }, { profiles: [], timeoutMs: 20_000 }],
  [
    { profile: ['b', 'a', 'b'], timeout: ['0'] },
    { profiles: ['a', 'b'], timeoutMs: 0 },
  ],
])('the query %j is understood', (query, parsed) => {
  expect(parseWaitQuery(query)).toEqual(parsed);
});

test.each([
  { timeout: ['-1'] },
  { timeout: ['1e3'] },
  { timeout: ['1', '1'] },
  { timeout: [''] },
  { profile: ['../x'] },
  { profile: [''] },
  { profile: Array(65).fill('a') },
  { profiles: ['a'] },
])('the query %j is refused', (query) => {
  expect(parseWaitQuery(query)).toMatchObject({ status: 400, code: 'value-invalid' });
});
