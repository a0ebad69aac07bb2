/** Who may write over HTTP, what is then on disk, and what is said about it. */
import {
  chmodSync,
  existsSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { arm, check } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { type ServedFleet, served, writeToken } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

const post = (fleet: ServedFleet, token: string | null, body: unknown, more: object = {}) =>
  fleet.ask('/v1/holds', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...more,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const remove = (fleet: ServedFleet, token: string | null, id: string) =>
  fleet.ask(`/v1/holds/${encodeURIComponent(id)}`, {
    method: 'DELETE',
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

const LANE = { profile: 'lane-a', holder: 'ci' };
const laneOf = (root: string) => join(root, 'profiles/lane-a');

test('without a token file nobody writes, whatever they send', async () => {
  const fleet = await served();
  for (const token of [null, '', 'x'.repeat(64)]) {
    const { status, json } = await post(fleet, token, LANE);
    expect([status, json.code]).toEqual([403, 'writing-off']);
  }
  expect((await remove(fleet, null, 'x')).status).toBe(403);
  expect(check(disk, laneOf(fleet.root)).engaged).toBe(false);
});

test('a missing or wrong token is refused, and no token reaches the log or an answer', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const wrong = 'w'.repeat(48);
  const { status, json, headers } = await post(fleet, wrong, LANE);
  expect([status, json.code, headers['www-authenticate']]).toEqual([
    401,
    'token-wrong',
    'Bearer realm="fleet"',
  ]);
  expect((await post(fleet, null, LANE)).status).toBe(401);
  expect((await remove(fleet, wrong, 'x')).status).toBe(401);
  expect((await post(fleet, token.slice(0, -1), LANE)).status).toBe(401);
  expect((await post(fleet, token, LANE)).status).toBe(201);
  const state = await fleet.ask('/v1/state');
  const said = JSON.stringify([fleet.log, json, state.text]);
  expect(said).not.toContain(token);
  expect(said).not.toContain(wrong);
});

test('a token file that others may read, that is a link, or that is too short lets nobody write', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const path = join(fleet.root, '.fleet/token');
  chmodSync(path, 0o640);
  expect((await post(fleet, token, LANE)).json.code).toBe('token-unusable');
  unlinkSync(path);
  writeFileSync(join(fleet.root, 'elsewhere'), token, { mode: 0o600 });
  symlinkSync(join(fleet.root, 'elsewhere'), path);
  expect((await post(fleet, token, LANE)).json.code).toBe('token-unusable');
  unlinkSync(path);
  writeFileSync(path, 'short', { mode: 0o600 });
  expect((await post(fleet, 'short', LANE)).json.code).toBe('token-unusable');
  expect(check(disk, laneOf(fleet.root)).engaged).toBe(false);
});

test('another token is in force as soon as it is in the file', async () => {
  const fleet = await served();
  const first = writeToken(fleet.root);
  expect((await post(fleet, first, LANE)).status).toBe(201);
  const second = writeToken(fleet.root);
  expect((await post(fleet, first, LANE)).status).toBe(401);
  expect((await post(fleet, second, LANE)).status).toBe(200);
});

test('a hold is armed on disk and in the journal, and the answer is what was read back', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const stream = await fleet.stream();
  const asked = { ...LANE, reason: 'bad deploy', ttl: '1h', allow_users: ['4711'] };
  const { status, json } = await post(fleet, token, asked);
  expect(status).toBe(201);
  const found = check(disk, laneOf(fleet.root));
  expect(found.engaged && found.holds).toMatchObject([
    {
      id: json.hold.id,
      holder: 'ci',
      reason: 'bad deploy',
      allow: { userIds: ['4711'] },
      actor: { via: 'watcher http' },
    },
  ]);
  expect(json).toMatchObject({ armed: true, profile: 'lane-a', replaced: null, warnings: [] });
  expect(json.operation).toMatch(/^op-[0-9a-f]{12}$/);
  expect(json.hold.expires_at_ms).toBeGreaterThan(Date.now() + 3_500_000);
  const journal = readFileSync(join(fleet.root, '.fleet/journal.ndjson'), 'utf8');
  expect(JSON.parse(journal)).toMatchObject({ event: 'arm', profile: 'lane-a' });
  await stream.until(({ data }) => data.type === 'profile.paused');
});

test('arming again keeps what is not mentioned, and clears what is null', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const first = await post(fleet, token, { ...LANE, reason: 'one', ttl: '1h' });
  const second = await post(fleet, token, { ...LANE, reason: 'two' });
  expect([second.status, second.json.replaced]).toEqual([200, first.json.hold.id]);
  expect(second.json.hold).toMatchObject({
    reason: 'two',
    expires_at_ms: first.json.hold.expires_at_ms,
  });
  const third = await post(fleet, token, { ...LANE, ttl: null });
  expect(third.json.hold).toMatchObject({ reason: 'two', expires_at: null });
});

test('the whole fleet is paused only where that was said', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  for (const body of [{ holder: 'ci' }, { holder: 'ci', root: false }, { ...LANE, root: true }]) {
    expect((await post(fleet, token, body)).status).toBe(400);
  }
  expect(existsSync(join(fleet.root, 'ESTOP'))).toBe(false);
  expect((await post(fleet, token, { holder: 'ci', root: true })).status).toBe(201);
  expect(check(disk, fleet.root).engaged).toBe(true);
});

test('what is not understood is refused before anything is written', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const bodies: readonly unknown[] = [
    '',
    '{',
    '[]',
    'null',
    { ...LANE, reasson: 'x' },
    { ...LANE, holder: '' },
    { ...LANE, holder: 'a\u202eb' },
    { ...LANE, reason: ' ' },
    { ...LANE, reason: 7 },
    { ...LANE, ttl: '1 week' },
    { ...LANE, ttl: 60 },
    { ...LANE, ttl: '1h', until: '2099-01-01T00:00:00Z' },
    { ...LANE, until: '2099-01-01T00:00:00' },
    { ...LANE, until: '2001-01-01T00:00:00Z' },
    { ...LANE, ttl: '9999999999999d' },
    { ...LANE, allow_users: 'me' },
    { ...LANE, allow_users: [''] },
    { ...LANE, profile: '../lane-a' },
    { ...LANE, profile: ['lane-a'] },
  ];
  for (const body of bodies) {
    const { status, json } = await post(fleet, token, body);
    expect([body, status, json.code]).toEqual([body, 400, 'request-invalid']);
  }
  const plain = await post(fleet, token, LANE, { 'content-type': 'text/plain' });
  expect([plain.status, plain.json.code]).toEqual([415, 'not-json']);
  for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
    const large = await post(fleet, token, { ...LANE, reason: 'x'.repeat(70_000) }, more);
    expect([large.status, large.json.code]).toEqual([413, 'too-large']);
  }
  expect(check(disk, laneOf(fleet.root)).engaged).toBe(false);
});

test('a profile that is not there, or whose sentinel is the fleet’s, is not paused', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const unknown = await post(fleet, token, { ...LANE, profile: 'lane-z' });
  expect([unknown.status, unknown.json.code]).toEqual([404, 'profile-unknown']);
  const lane = await post(fleet, token, { ...LANE, profile: 'default' });
  expect([lane.status, lane.json.code]).toEqual([409, 'root-lane']);
  expect(existsSync(join(fleet.root, 'profiles/lane-z'))).toBe(false);
});

test('the policies of the fleet are in force here, too', async () => {
  const root = makeRoot('lane-a');
  writeFileSync(
    join(root, 'fleet.yaml'),
    'version: 1\npolicies:\n  require_reason: true\n  max_ttl: 1h\n',
  );
  const fleet = await served(root);
  const token = writeToken(root);
  const { status, json } = await post(fleet, token, LANE);
  expect([status, json.code]).toEqual([403, 'policy']);
  expect((await post(fleet, token, { ...LANE, reason: 'x', ttl: '2h' })).status).toBe(403);
  expect((await post(fleet, token, { ...LANE, reason: 'x', ttl: '1h' })).status).toBe(201);
});

test('one hold is lifted by its id, and what still holds is named', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const one = await post(fleet, token, LANE);
  const two = await post(fleet, token, { ...LANE, holder: 'ops' });
  const all = await post(fleet, token, { root: true, holder: 'ops' });
  const { status, json } = await remove(fleet, token, one.json.hold.id);
  expect(status).toBe(200);
  expect(json).toMatchObject({ lifted: true, profile: 'lane-a', hold: { id: one.json.hold.id } });
  expect(json.remaining.map(({ id }: { id: string }) => id).sort()).toEqual(
    [two.json.hold.id, all.json.hold.id].sort(),
  );
  const again = await remove(fleet, token, one.json.hold.id);
  expect([again.status, again.json.code]).toEqual([404, 'hold-unknown']);
  const stream = await fleet.stream();
  await remove(fleet, token, two.json.hold.id);
  // The journal says that it was lifted, so nobody takes it for cleared.
  await stream.until(({ data }) => data.type === 'hold.lifted');
});

test('a hold that nobody named is lifted by the id it is shown under', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  writeFileSync(join(laneOf(fleet.root), 'ESTOP'), '');
  const found = check(disk, laneOf(fleet.root));
  const id = found.engaged ? found.holds[0]?.id : undefined;
  expect((await remove(fleet, token, `${id}`)).status).toBe(200);
  expect(existsSync(join(laneOf(fleet.root), 'ESTOP'))).toBe(false);
});

test('what cannot be written is not said to be', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const broken = join(fleet.root, 'profiles/lane-a');
  for (let n = 0; n < 64; n++) arm(disk, broken, { holder: `h${n}` });
  const { status, json } = await post(fleet, token, LANE);
  expect([status, json.code]).toEqual([409, 'not-armed']);
  expect(json.message).toContain('others hold');
});
