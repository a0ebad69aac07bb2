/**
 * Served documents match `/openapi.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReceipts, openRegister } from '@fleet-estop/ledger';
import { arm } from '@fleet-estop/sentinel-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { served, writeToken } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it was served
async function contract(fleet: { ask: (path: string) => Promise<any> }) {
  const { json: document } = await fleet.ask('/openapi.json');
  const ajv = new Ajv2020({
    strict: false,
    formats: { 'date-time': isInstant, 'uri-reference': true },
  });
  ajv.addSchema(document, 'openapi');
  return (path: string, method: string, status: number, body: unknown, type = JSON_TYPE) => {
    const answer = document.paths[path]?.[method]?.responses?.[status];
    if (answer === undefined) return [`${method} ${path} ${status} is not in the document`];
    const { schema } = answer.content[type];
    const refs: readonly { readonly $ref: string }[] = schema.anyOf ?? [schema];
    const found = refs.map(({ $ref }) => {
      const validate = ajv.getSchema(`openapi${$ref}`);
      if (validate === undefined) return [`there is no ${$ref}`];
      return validate(body) ? [] : validate.errors;
    });
    return found.find((errors) => errors?.length === 0) ?? found[0];
  };
}

const JSON_TYPE = 'application/json';
const isInstant = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text);

const AT = '2026-11-29T17:00:00.000+00:00';
const SERVED = {
  doors: ['turn'],
  in_flight: 1,
  refused: 2,
  acknowledged: null,
  acknowledged_at: null,
};
const gateway = (profile: string) => ({
  instance: 'i',
  pid: 7,
  software: 's',
  link: 'connected' as const,
  connected_at: AT,
  last_seen_at: AT,
  gone_at: null,
  profiles: [{ ...SERVED, name: profile }],
});

test('every answer is what the OpenAPI document says', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  mkdirSync(join(root, 'profiles/NOT-A-LANE'));
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'look at it' });
  writeFileSync(join(root, 'profiles/lane-b/ESTOP'), '{ torn');
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: nope\n');
  const fleet = await served(root);
  fleet.watcher.store.setGateways([gateway('lane-a')]);
  const receipts = openReceipts(join(root, 'profiles/lane-a'), { instance: 'g' });
  receipts.write({ door: 'turn', principal: null, profile: 'lane-a', holds: ['h'] });
  receipts.close();
  const register = openRegister(join(root, 'profiles/lane-a'), { instance: 'g' });
  onTestFinished(() => register.close());
  register.begin({ door: 'turn', id: 'chat-1', principal: 'ops' });
  const problems = await contract(fleet);
  for (const [path, asked, status] of [
    ['/v1/state', '/v1/state', 200],
    ['/v1/wait', '/v1/wait', 200],
    ['/v1/wait', '/v1/wait?profile=lane-a', 200],
    ['/v1/wait', '/v1/wait?timeout=soon', 400],
    ['/v1/profiles/{name}', '/v1/profiles/lane-a', 200],
    ['/v1/profiles/{name}', '/v1/profiles/lane-z', 404],
    ['/v1/refusals', '/v1/refusals', 200],
    ['/v1/refusals', '/v1/refusals?profile=lane-a', 200],
    ['/v1/refusals', '/v1/refusals?limit=many', 400],
    ['/v1/refusals', '/v1/refusals?profile=lane-z', 404],
    ['/v1/gateways', '/v1/gateways', 200],
    ['/healthz', '/healthz', 200],
    ['/readyz', '/readyz', 200],
  ] as const) {
    const { status: got, json } = await fleet.ask(asked);
    expect([asked, got]).toEqual([asked, status]);
    expect([asked, problems(path, 'get', status, json)]).toEqual([asked, []]);
  }
  const token = writeToken(root);
  for (const [path, asked] of [
    ['/v1/profiles/{name}', '/v1/profiles/lane-a'],
    ['/v1/refusals', '/v1/refusals'],
  ] as const) {
    const wrong = { authorization: `Bearer ${token.slice(1)}` };
    const { status, json } = await fleet.ask(asked, { headers: wrong });
    expect([status, problems(path, 'get', 401, json)]).toEqual([401, []]);
    const told = await fleet.ask(asked, { headers: { authorization: `Bearer ${token}` } });
    expect([told.status, problems(path, 'get', 200, told.json)]).toEqual([200, []]);
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ profile: 'lane-a', holder: 'ci' });
  const armed = await fleet.ask('/v1/holds', { method: 'POST', headers, body });
  expect([armed.status, problems('/v1/holds', 'post', 201, armed.json)]).toEqual([201, []]);
  const path = `/v1/holds/${armed.json.hold.id}`;
  const lifted = await fleet.ask(path, { method: 'DELETE', headers });
  expect([lifted.status, problems('/v1/holds/{id}', 'delete', 200, lifted.json)]).toEqual([
    200,
    [],
  ]);
});

test('the state names what is paused, by whom, and since which revision', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'look at it', holder: 'ci' });
  const fleet = await served(root);
  const { json, headers } = await fleet.ask('/v1/state');
  expect(headers['content-type']).toBe('application/json');
  expect(json).toMatchObject({
    schema: 'fleet/state/v1',
    root,
    epoch: fleet.watcher.store.snapshot().epoch,
    gateways: [],
    config: { rejected: [], writing: 'off' },
    health: { http: { port: fleet.port, port_refused: null, socket: fleet.socket } },
  });
  expect(json.profiles).toMatchObject([
    { name: 'lane-a', engaged: true, own: { holds: [{ holder: 'ci', reason: 'look at it' }] } },
    { name: 'lane-b', engaged: false, own: { holds: [] } },
  ]);
});

test('a state that was seen is not sent again, and one that changed is', async () => {
  const fleet = await served();
  const { headers } = await fleet.ask('/v1/state');
  const etag = headers['etag'] ?? '';
  const seen = { 'if-none-match': etag };
  expect((await fleet.ask('/v1/state', { headers: seen })).status).toBe(304);
  const stream = await fleet.stream();
  arm(disk, fleet.root, {});
  await stream.until(({ data }) => data.type === 'profile.paused');
  const again = await fleet.ask('/v1/state', { headers: seen });
  expect([again.status, again.json.profiles[0].engaged]).toEqual([200, true]);
  fleet.watcher.store.setGateways([gateway('lane-a')]);
  const withGateway = await fleet.ask('/v1/state', {
    headers: { 'if-none-match': `${again.headers['etag']}` },
  });
  expect(withGateway.json.gateways).toHaveLength(1);
});

test('refused settings are named on /readyz, and do not make the watcher unready', async () => {
  const root = makeRoot('lane-a');
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: nope\n');
  const fleet = await served(root);
  const { status, json } = await fleet.ask('/readyz');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ready: true,
    blind: [],
    rejected: [{ path: join(root, 'fleet.yaml'), in_force: 'defaults' }],
  });
});

test('what is not served, or not done that way, is an answer in the same shape', async () => {
  const fleet = await served();
  const missing = await fleet.ask('/v1/nothing');
  expect([missing.status, missing.json.code]).toEqual([404, 'address-unknown']);
  const wrong = await fleet.ask('/v1/state', { method: 'PUT' });
  expect([wrong.status, wrong.json.code]).toEqual([405, 'method-unknown']);
  expect(wrong.headers['allow']).toBe('GET, HEAD');
  const head = await fleet.ask('/v1/events', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});

test('each operation has a name of its own', async () => {
  const { json: document } = await (await served()).ask('/openapi.json');
  const ids = Object.values(document.paths as object).flatMap((methods) =>
    Object.values(methods as object).map(({ operationId }) => operationId),
  );
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a heartbeat, a gap and a snapshot are what the document says, each by a schema of its own', async () => {
  const fleet = await served();
  const { json: document } = await fleet.ask('/openapi.json');
  const ajv = new Ajv2020({
    strict: false,
    formats: { 'date-time': isInstant, 'uri-reference': true },
  });
  ajv.addSchema(document, 'openapi');
  const stream = await fleet.stream('/v1/events?last_event_id=nonsense');
  for (const [event, schema] of [
    ['gap', 'Gap'],
    ['snapshot', 'State'],
    ['heartbeat', 'Heartbeat'],
  ] as const) {
    const { data } = await stream.until((message) => message.event === event);
    const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
    expect([schema, validate?.(data), validate?.errors]).toEqual([schema, true, null]);
    const keys = Object.keys(document.components.schemas[schema].properties);
    expect(Object.keys(data).filter((key) => !keys.includes(key))).toEqual([]);
  }
});

test('every event of a stream is what the document and CloudEvents 1.0 say', async () => {
  const fleet = await served();
  const problems = await contract(fleet);
  const stream = await fleet.stream();
  arm(disk, join(fleet.root, 'profiles/lane-a'), { reason: 'look at it' });
  await stream.until(({ data }) => data.type === 'profile.paused');
  writeFileSync(join(fleet.root, 'profiles/lane-a/ESTOP'), '{ torn');
  await stream.until(({ data }) => data.type === 'hold.unreadable');
  fleet.watcher.store.record('gateway.gone', 'gateway/i', {
    instance: 'i',
    pid: 7,
    why: 'it closed',
  });
  await stream.until(({ data }) => data.type === 'gateway.gone');
  const events = stream.messages.filter(({ event }) => event === 'message');
  expect(events.length).toBeGreaterThan(3);
  for (const { data } of events) {
    expect([data.type, problems('/v1/events', 'get', 200, data, 'text/event-stream')]).toEqual([
      data.type,
      [],
    ]);
    // Names of attributes, extensions too, are lower-case letters and digits; each has a value.
    for (const [name, value] of Object.entries(data)) {
      expect(name).toMatch(/^[a-z0-9]{1,20}$/);
      expect(value).not.toBeNull();
    }
  }
});

test('half of a surrogate pair in a hold spoils no document and no event', async () => {
  const fleet = await served();
  const stream = await fleet.stream();
  await stream.until(({ event }) => event === 'snapshot');
  const hold = { id: 'h1', holder: 'h\udc00', reason: 'a\ud800b' };
  writeFileSync(join(fleet.root, 'profiles/lane-a/ESTOP'), JSON.stringify({ holds: [hold] }));
  const armed = await stream.until(({ data }) => data.type === 'hold.armed');
  expect(armed.data.data.hold).toMatchObject({ holder: 'h\ufffd', reason: 'a\ufffdb' });
  for (const path of ['/v1/state', '/v1/profiles/lane-a']) {
    const { text } = await fleet.ask(path);
    expect(text).toContain('a\ufffdb');
    expect(text).not.toMatch(/\\ud[89a-f]/i);
  }
});
