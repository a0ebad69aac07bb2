/**
 * Who may write over HTTP, what is on disk afterwards, and the answer.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { arm, check } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
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
const chainOfHome = (root: string) => join(root, 'profiles/lane-a');

test('without a token file nobody writes, whatever they send', async () => {
  const fleet = await served();
  for (const token of [null, '', 'x'.repeat(64)]) {
    const { status, json } = await post(fleet, token, LANE);
    expect([status, json.code]).toEqual([403, 'writing-off']);
  }
  expect((await remove(fleet, null, 'x')).status).toBe(403);
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
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
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
});

test('a sentinel that was moved to the place of the token is no token', async () => {
  const fleet = await served();
  const sentinel = join(chainOfHome(fleet.root), 'ESTOP');
  const actor = { user: 'ann', host: 'h', pid: 1, via: 'chat' };
  expect(arm(disk, chainOfHome(fleet.root), { actor }).armed).toBe(true);
  const body = readFileSync(sentinel, 'utf8');
  expect(body).toMatch(/^[\x21-\x7e]{32,}$/);
  // As it is in a home that only its owner may enter.
  chmodSync(sentinel, 0o600);
  renameSync(sentinel, join(fleet.root, '.fleet/token'));
  const { status, json } = await post(fleet, body, LANE);
  expect([status, json.code]).toEqual([503, 'token-unusable']);
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
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
  const found = check(disk, chainOfHome(fleet.root));
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
  const rockets = '\u{1f680}'.repeat(64);
  expect((await post(fleet, token, { ...LANE, holder: rockets })).status).toBe(201);
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
    { ...LANE, holder: '\u{1f680}'.repeat(65) },
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
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
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
  writeFileSync(join(chainOfHome(fleet.root), 'ESTOP'), '');
  const found = check(disk, chainOfHome(fleet.root));
  const id = found.engaged ? found.holds[0]?.id : undefined;
  expect((await remove(fleet, token, `${id}`)).status).toBe(200);
  expect(existsSync(join(chainOfHome(fleet.root), 'ESTOP'))).toBe(false);
});

test('what cannot be written is not said to be', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const broken = join(fleet.root, 'profiles/lane-a');
  for (let n = 0; n < 64; n++) arm(disk, broken, { holder: `h${n}` });
  const { status, json } = await post(fleet, token, LANE);
  expect([status, json.code]).toEqual([409, 'not-armed']);
  expect(json.message).toContain('other holds remain');
});

const journalOf = (fleet: ServedFleet) =>
  readFileSync(join(fleet.root, '.fleet/journal.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each([
  ['the holder', '{"profile":"lane-a","holder":"ci","holder":"operator"}', 'holder'],
  ['the profile', '{"profile":"lane-a","holder":"ci","profile":"lane-b"}', 'profile'],
  ['by an escape', '{"profile":"lane-a","holder":"ci","\\u0068older":"x"}', 'holder'],
])('a body that says %s twice is refused before anything is written', async (_what, body, key) => {
  const fleet = await served();
  const { status, json } = await post(fleet, writeToken(fleet.root), body);
  expect([status, json.code]).toEqual([400, 'request-invalid']);
  expect(json.message).toContain(`\`${key}\``);
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
});

test('a text that looks like a key twice is no key', async () => {
  const fleet = await served();
  const body = {
    ...LANE,
    reason: '"holder": "x", "holder": {[',
    allow_users: ['holder', 'profile'],
  };
  expect((await post(fleet, writeToken(fleet.root), body)).status).toBe(201);
});

test('a lift over HTTP has the author that it names, and says whose hold it was', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const lifted = async (id: string, query: string) =>
    fleet.ask(`/v1/holds/${id}${query}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
  for (const [query, user, warnings] of [
    ['?as=dana', 'dana', [expect.stringContaining('`ci`')]],
    ['?as=ci', 'ci', []],
    ['', 'not said', [expect.stringContaining('`ci`')]],
  ] as const) {
    const { json } = await post(fleet, token, LANE);
    const answer = await lifted(json.hold.id, query);
    expect([answer.status, answer.json.warnings]).toEqual([200, warnings]);
    expect(journalOf(fleet).at(-1)).toMatchObject({
      event: 'lift',
      actor: { user, via: 'watcher http' },
    });
  }
});

test('a lift whose author is no name, or is said twice, lifts nothing', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const { json } = await post(fleet, token, LANE);
  for (const query of ['?as=', '?as=a%E2%80%AEb', `?as=${'x'.repeat(65)}`, '?as=a&as=b']) {
    const { status } = await fleet.ask(`/v1/holds/${json.hold.id}${query}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([query, status]).toEqual([query, 400]);
  }
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(true);
});

test('an arm that replaces a hold answers which one, and who could pass', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const first = await post(fleet, token, { ...LANE, reason: 'one', allow_users: ['4711'] });
  expect(first.json).toMatchObject({ replaced_hold: null, closed_out: [], warnings: [] });
  const { json } = await post(fleet, token, { ...LANE, reason: 'two', ttl: '1h' });
  expect(json.replaced_hold).toMatchObject({
    id: first.json.hold.id,
    holder: 'ci',
    reason: 'one',
    expires_at: null,
    allow_users: ['4711'],
    allow_profiles: null,
  });
  expect(json.warnings).toEqual([expect.stringContaining('had no end before')]);
});

test.each([
  ['a nearer end', { ttl: '2h' }, { ttl: '1h' }, 'sooner than before'],
  ['a wider allowlist', { allow_users: ['1'] }, { allow_users: ['1', '2'] }, 'could not before: 2'],
  ['an end where there was none', {}, { ttl: '1h' }, 'had no end before'],
])('%s is said', async (_what, before, now, words) => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  await post(fleet, token, { ...LANE, ...before });
  const { json } = await post(fleet, token, { ...LANE, ...now });
  expect(json.warnings).toEqual([expect.stringContaining(words)]);
});

test('an arm that replaces a hold with a deadline beyond all dates is answered', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const expires_at = '9999-12-31T23:59:59-10:00';
  const hold = { id: 'beyond', holder: 'ci', expires_at };
  writeFileSync(
    join(chainOfHome(fleet.root), 'ESTOP'),
    JSON.stringify({ generation: 'g', expires_at, holds: [hold] }),
  );
  const planned = await post(fleet, token, { ...LANE, dry_run: true });
  expect([planned.status, planned.json.hold.expires_at]).toEqual([
    200,
    '9999-12-31T23:59:59.999+00:00',
  ]);
  const { status, json } = await post(fleet, token, { ...LANE, ttl: '1h' });
  expect([status, json.replaced_hold.expires_at]).toEqual([200, expires_at]);
  expect(json.warnings).toEqual([expect.stringContaining('sooner than before')]);
});

test('an empty folder in the place of the root is not paused', async () => {
  const fleet = await served();
  const moved = `${fleet.root}-moved`;
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  renameSync(fleet.root, moved);
  mkdirSync(join(fleet.root, '.fleet'), { recursive: true });
  const token = writeToken(fleet.root);
  const { status, json } = await post(fleet, token, { root: true, holder: 'ci' });
  expect([status, json.code]).toEqual([503, 'fleet-gone']);
  expect(existsSync(join(fleet.root, 'ESTOP'))).toBe(false);
});

test('nothing is said of an arm that is no looser than what it replaces', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  await post(fleet, token, { ...LANE, ttl: '1h', allow_users: ['1', '2'] });
  for (const now of [{}, { ttl: '2h' }, { ttl: null }, { allow_users: ['1', '2'] }]) {
    expect((await post(fleet, token, { ...LANE, ...now })).json.warnings).toEqual([]);
  }
});

test('whom a new hold closes out is said, for a profile and for the whole fleet', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  arm(disk, chainOfHome(fleet.root), { holder: 'operator', allow: { userIds: ['4711', 'op'] } });
  const lane = await post(fleet, token, { ...LANE, allow_users: ['op'] });
  expect(lane.json.closed_out).toEqual(['4711']);
  expect(lane.json.warnings).toEqual([expect.stringContaining('4711')]);
  arm(disk, fleet.root, { holder: 'operator', allow: { userIds: ['4711'] } });
  const all = await post(fleet, token, { root: true, holder: 'ci' });
  expect(all.json.closed_out).toEqual(['4711']);
});

test('a dry run writes nothing, and says what would stand and what would be replaced', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const dry = async (more: object = {}) =>
    (await post(fleet, token, { ...LANE, dry_run: true, ...more })).json;
  expect(await dry({ reason: 'x', ttl: '1h' })).toMatchObject({
    schema: 'fleet/would-arm/v1',
    armed: false,
    generation: null,
    comparable: true,
    replaced_hold: null,
    hold: { id: null, holder: 'ci', reason: 'x', allow_users: null },
  });
  expect(check(disk, chainOfHome(fleet.root)).engaged).toBe(false);
  const { json } = await post(fleet, token, { ...LANE, reason: 'one', allow_users: ['1'] });
  const would = await dry({ reason: 'two' });
  expect(would).toMatchObject({
    comparable: true,
    replaced_hold: { id: json.hold.id, reason: 'one', allow_users: ['1'] },
    hold: { reason: 'two', allow_users: ['1'] },
  });
  const found = check(disk, chainOfHome(fleet.root));
  expect(found.engaged && found.holds.map(({ id }) => id)).toEqual([json.hold.id]);
  expect(journalOf(fleet)).toHaveLength(1);

  // What was shown is what is replaced, or nothing is.
  const fenced = { ...LANE, if_generation: would.generation };
  arm(disk, chainOfHome(fleet.root), { holder: 'ci', reason: 'a colleague' });
  const late = await post(fleet, token, fenced);
  expect([late.status, late.json.code]).toEqual([409, 'not-armed']);
  const { generation } = await dry();
  expect((await post(fleet, token, { ...LANE, if_generation: generation })).status).toBe(200);
  expect((await post(fleet, token, { ...LANE, if_generation: null })).status).toBe(409);
});

test('a dry run obeys the policies and says so, and one of what cannot be compared says that', async () => {
  const root = makeRoot('lane-a');
  writeFileSync(join(chainOfHome(root), 'ESTOP'), '');
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\npolicies: { require_reason: true }\n');
  const fleet = await served(root);
  const token = writeToken(root);
  const without = await post(fleet, token, { ...LANE, dry_run: true });
  expect([without.status, without.json.code]).toEqual([403, 'policy']);
  const { json } = await post(fleet, token, { ...LANE, dry_run: true, reason: 'x' });
  expect(json).toMatchObject({ generation: null, comparable: false });
});
