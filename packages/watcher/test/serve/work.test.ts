/**
 * A profile's work in hand as read from disk, also when its gateway is gone.
 */
import { spawn } from 'node:child_process';
import { lutimesSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openRegister } from '@fleet-estop/ledger';
import { expect, onTestFinished, test } from 'vitest';
import { workInHand } from '../../src/serve/work.ts';
import { type ServedFleet, served, writeToken } from '../support/served.ts';
import { makeRoot } from '../support/watched.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** A process of its own that has work in hand, until it is killed. */
const HOLDER = `
import { openRegister } from '@fleet-estop/ledger';
const register = openRegister(process.argv[1], { instance: 'gateway-1' });
register.begin({ door: 'turn', id: 'chat-1', principal: 'ops' });
register.begin({ door: 'cron', id: 'nightly' });
console.log('ready');
setInterval(() => {}, 60_000);
`;

async function holderOf(home: string): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const args = ['--input-type=module', '-e', HOLDER, home];
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', () => resolve());
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  return {
    pid: child.pid ?? 0,
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

function registerOf(home: string) {
  const register = openRegister(home, { instance: 'gateway-2' });
  onTestFinished(() => register.close());
  return register;
}

/** An answer that fits, now or soon: what was read is kept for half a second. */
async function untilWork(
  fleet: ServedFleet,
  // biome-ignore lint/suspicious/noExplicitAny: what a document carries is what the tests are about
  fits: (work: any) => boolean,
) {
  const untilMs = Date.now() + 10_000;
  for (;;) {
    const { work } = (await fleet.ask('/v1/profiles/lane-a')).json;
    if (fits(work)) return work;
    if (Date.now() > untilMs) throw new Error(`it is still ${JSON.stringify(work)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const NONE = { running: 0, unproven: 0, abandoned: 0, wedged: 0 };

test('work in hand is shown while it runs, and as abandoned once its gateway is killed', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  const gateway = await holderOf(join(root, 'profiles/lane-a'));
  const fleet = await served(root);
  const { json } = await fleet.ask('/v1/profiles/lane-a', { socketPath: fleet.socket });
  expect(json.gateways).toEqual([]);
  expect(json.work).toMatchObject({ counts: { ...NONE, running: 2 }, read: 2, unreadable: [] });
  expect(json.work.newest).toHaveLength(2);
  expect(json.work.newest).toContainEqual(
    expect.objectContaining({
      door: 'turn',
      id: 'chat-1',
      principal: 'ops',
      instance: 'gateway-1',
      pid: gateway.pid,
      fate: 'running',
    }),
  );
  expect((await fleet.ask('/v1/profiles/lane-b')).json.work).toMatchObject({
    counts: NONE,
    newest: [],
  });
  await gateway.kill();
  const after = await untilWork(fleet, ({ counts }) => counts.abandoned === 2);
  expect(after).toMatchObject({ counts: { ...NONE, abandoned: 2 }, read: 2 });
  // To read is not to clear away: that is for the one that takes over.
  expect(registerOf(join(root, 'profiles/lane-a')).found.cutOff).toHaveLength(2);
});

test('a client over TCP without the token sees everything of work but whose it is', async () => {
  const root = makeRoot('lane-a');
  const register = registerOf(join(root, 'profiles/lane-a'));
  const address = 'matrix-room';
  register.begin({ door: 'turn', id: 'chat-1', principal: 'ops', conversation: address });
  const fleet = await served(root);
  const path = '/v1/profiles/lane-a';
  const onSocket = (await fleet.ask(path, { socketPath: fleet.socket })).json.work;
  expect(onSocket).toMatchObject({ people: 'told', newest: [{ conversation: address }] });
  expect(onSocket.newest).toMatchObject([{ id: 'chat-1', principal: 'ops' }]);
  const token = writeToken(root);
  const { text, json } = await fleet.ask(path);
  expect(text).not.toMatch(/ops|chat-1|matrix-room/);
  expect(json.work).toEqual({
    ...onSocket,
    looked_at: json.work.looked_at,
    people: 'withheld',
    newest: [{ ...onSocket.newest[0], id: null, principal: null, conversation: null }],
  });
  const headers = { authorization: `Bearer ${token}` };
  const withToken = (await fleet.ask(path, { headers })).json.work;
  expect(withToken).toEqual({ ...onSocket, looked_at: withToken.looked_at });
});

test('work shows its last progress, and is wedged once that is older than its own limit', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  const claim = registerOf(home).begin({ door: 'turn', id: 'chat-1', stallMs: 60_000 });
  const claims = join(home, '.fleet/in-flight/claims');
  const [digest = ''] = readdirSync(claims);
  const [entry = ''] = readdirSync(join(claims, digest));
  writeFileSync(
    join(claims, digest, entry),
    JSON.stringify({ door: 'turn', id: 'chat-1', since: '2026-01-01T00:00:00Z', stall_ms: 60_000 }),
  );
  const at = Date.UTC(2026, 0, 2) / 1_000;
  lutimesSync(join(claims, digest, entry), at, at);
  const fleet = await served(root);
  const before = (await fleet.ask('/v1/profiles/lane-a')).json.work;
  expect(before).toMatchObject({
    counts: { ...NONE, running: 1, wedged: 1 },
    newest: [{ stall_ms: 60_000, progress_at: '2026-01-02T00:00:00.000+00:00', wedged: true }],
  });
  claim?.touch();
  const after = await untilWork(fleet, ({ counts }) => counts.wedged === 0);
  expect(after.newest).toMatchObject([{ wedged: false }]);
});

test('a profile whose records cannot be anywhere is not said to have nothing in hand', async () => {
  const root = makeRoot('lane-a');
  symlinkSync('nowhere', join(root, 'profiles/lane-a/.fleet'));
  const { json } = await (await served(root)).ask('/v1/profiles/lane-a');
  expect(json.work).toMatchObject({
    counts: null,
    newest: [],
    unreadable: [{ path: '..', why: 'dangling-link' }],
  });
});

test('what could not be read is null with its reason, and never 0', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  const register = registerOf(home);
  register.begin({ door: 'turn', id: 'chat-1' });
  const claims = join(home, '.fleet/in-flight/claims');
  mkdirSync(join(claims, 'not-a-digest'));
  const fleet = await served(root);
  const part = (await fleet.ask('/v1/profiles/lane-a')).json.work;
  expect(part).toMatchObject({
    counts: null,
    read: 1,
    unreadable: [{ path: 'claims/not-a-digest', why: 'not-a-claim' }],
  });
  rmSync(claims, { recursive: true });
  writeFileSync(claims, '');
  const none = await untilWork(fleet, ({ read }) => read === 0);
  expect(none).toMatchObject({
    counts: null,
    newest: [],
    unreadable: [{ path: 'claims', why: 'ENOTDIR' }],
  });
  register.close();
});

test('many unreadable files are not all named', async () => {
  const root = makeRoot('lane-a');
  const claims = join(root, 'profiles/lane-a/.fleet/in-flight/claims');
  mkdirSync(claims, { recursive: true });
  for (let at = 0; at < 40; at++) symlinkSync('/etc', join(claims, `link-${at}`));
  const { json } = await (await served(root)).ask('/v1/profiles/lane-a');
  expect([json.work.counts, json.work.unreadable.length]).toEqual([null, 8]);
});

test('the newest are listed, at most fifty, and all are counted', () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  const register = openRegister(home, {
    instance: 'g',
    now: (() => {
      let ms = Date.now() - 3_600_000;
      return () => ms++;
    })(),
  });
  onTestFinished(() => register.close());
  for (let at = 0; at < 60; at++) register.begin({ door: 'turn', id: `chat-${at}` });
  const work = workInHand(root)('lane-a');
  expect([work.counts, work.read]).toEqual([{ ...NONE, running: 60 }, 60]);
  expect(work.newest).toHaveLength(50);
  expect(work.newest[0]?.id).toBe('chat-59');
});

test('the work of the lane `default` is that of the root', () => {
  const root = makeRoot('lane-a');
  registerOf(root).begin({ door: 'turn', id: 'chat-1' });
  const workOf = workInHand(root);
  expect(workOf('default').counts).toEqual({ ...NONE, running: 1 });
  expect(workOf('lane-a').counts).toEqual(NONE);
});

test('simultaneous requests get one reading', () => {
  const workOf = workInHand(makeRoot('lane-a'));
  expect(workOf('lane-a')).toBe(workOf('lane-a'));
});

test('a register that takes long to read is read the more seldom', () => {
  const times = [0, 100, 2_099, 2_100, 2_101, 2_600, 2_601];
  const clock = () => times.shift() ?? Number.NaN;
  const workOf = workInHand(makeRoot('lane-a'), clock);
  // It took 100 ms, and is kept for twenty times as long.
  const first = workOf('lane-a');
  expect(workOf('lane-a')).toBe(first);
  const second = workOf('lane-a');
  expect(second).not.toBe(first);
  // This one took 1 ms.
  expect(workOf('lane-a')).toBe(second);
  expect(times).toEqual([2_601]);
});

test('a register of more than is read at once is not known, rather than blocking everybody', () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  const register = registerOf(home);
  for (let at = 0; at < 1_000; at++) register.begin({ door: 'turn', id: `chat-${at}` });
  const beganMs = performance.now();
  expect(workInHand(root)('lane-a').counts).toEqual({ ...NONE, running: 1_000 });
  const tookMs = Math.round(performance.now() - beganMs);
  process.stdout.write(`a register of 1,000 pieces of work: ${tookMs} ms\n`);
  const claims = join(home, '.fleet/in-flight/claims');
  for (let at = 0; at < 1_000; at++) mkdirSync(join(claims, String(at).padStart(32, '0')));
  expect(workInHand(root)('lane-a').counts).toEqual({ ...NONE, running: 1_000 });
  mkdirSync(join(claims, 'f'.repeat(32)));
  expect(workInHand(root)('lane-a')).toMatchObject({
    counts: null,
    unreadable: [{ path: 'claims', why: 'too-many' }],
  });
});
