/** `POST /v1/profiles/:name/cut`: who may ask, and for what. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pushService } from '../../src/push/service.ts';
import { greeted, type RawGateway } from '../support/push.ts';
import { served, writeToken } from '../support/served.ts';
import { makeRoot } from '../support/watched.ts';

const PATH = '/v1/profiles/lane-a/cut';
const request = { id: 'op-1', reason: 'update', deadline_ms: 60_000 };
const posted = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Answers each cut that it hears. */
function answering(gateway: RawGateway): void {
  let answered = 0;
  void gateway.until(() => {
    for (const message of gateway.heard.slice(answered)) {
      answered += 1;
      if (message.type !== 'cut') continue;
      const { id, profile } = message;
      gateway.say({ type: 'cut-done', id, profile, told: 2, failed: 1, left: 3 });
    }
    return undefined;
  });
}

test('on the unix socket the gateways of the profile are asked, and their answers come back', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  const fleet = await served(root, {}, { services: [pushService] });
  const gateway = await greeted({ path: join(root, '.fleet/watcher.sock') }, 'gw-1', ['lane-a'], {
    features: ['cut'],
  });
  answering(gateway);
  await gateway.state('lane-a');
  const { status, json } = await fleet.ask(PATH, { socketPath: fleet.socket, ...posted(request) });
  expect(status).toBe(200);
  expect(json).toEqual({
    schema: 'fleet/cut/v1',
    id: 'op-1',
    profile: 'lane-a',
    gateways: [{ instance: 'gw-1', pid: 4_242, outcome: 'done', told: 2, failed: 1, left: 3 }],
  });
  const nobody = await fleet.ask('/v1/profiles/lane-b/cut', {
    socketPath: fleet.socket,
    ...posted(request),
  });
  expect(nobody.json).toMatchObject({ profile: 'lane-b', gateways: [] });
});

test('over TCP it needs the token, like every other write', async () => {
  const root = makeRoot('lane-a');
  const fleet = await served(root);
  expect((await fleet.ask(PATH, posted(request))).status).toBe(403);
  const token = writeToken(root);
  expect((await fleet.ask(PATH, posted(request))).status).toBe(401);
  const authorization = `Bearer ${token}`;
  expect((await fleet.ask(PATH, posted(request, { authorization }))).json).toMatchObject({
    gateways: [],
  });
});

test.each([
  ['no JSON', '{'],
  ['a list', []],
  ['no id', { ...request, id: '' }],
  ['an endless id', { ...request, id: 'x'.repeat(257) }],
  ['no reason', { ...request, reason: undefined }],
  ['an endless reason', { ...request, reason: 'x'.repeat(1_025) }],
  ['no time', { ...request, deadline_ms: 0 }],
  ['a time without end', { ...request, deadline_ms: 600_001 }],
  ['an unknown key', { ...request, force: true }],
  ['a key twice', '{"id":"a","id":"b","reason":"","deadline_ms":1}'],
])('%s is refused, and nobody is asked', async (_what, body) => {
  const fleet = await served(makeRoot('lane-a'));
  const { status, json } = await fleet.ask(PATH, { socketPath: fleet.socket, ...posted(body) });
  expect([status, json.code]).toEqual([400, 'request-invalid']);
});

test('a profile that is not there is 404, another content type 415, and another method 405', async () => {
  const fleet = await served(makeRoot('lane-a'));
  const socketPath = fleet.socket;
  const there = { socketPath, ...posted(request) };
  expect((await fleet.ask('/v1/profiles/lane-x/cut', there)).status).toBe(404);
  const plain = { ...there, headers: { 'content-type': 'text/plain' } };
  expect((await fleet.ask(PATH, plain)).status).toBe(415);
  expect((await fleet.ask(PATH, { socketPath })).status).toBe(405);
});
