/** The code of the README and of the page on doors is run unchanged, with the package as built. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readRegister } from '@fleet-estop/ledger';
import { expect, onTestFinished, test } from 'vitest';
import { doorFleet, hold, holdFor, homeOf, liftAll } from './door-fleet.ts';

function blockOf(page: string, door: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
  return blocks.find((code) => code.includes(door)) ?? '';
}
const ofExpress = blockOf('README.md', 'expressDoor');
const ofOthers = blockOf('docs/doors.md', 'kanbanDoor');

/** Writes the code to a temporary folder in which packages are found by name. */
function written(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-gw-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(
    fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
  const file = join(folder, 'readme.mjs');
  writeFileSync(file, code);
  return file;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function post(socketPath: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-key': key };
    const sent = request({ socketPath, path: '/hooks/report', method: 'POST', headers });
    sent.on('error', reject).on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const { statusCode = 0 } = response;
      resolve({ status: statusCode, headers: response.headers, body: JSON.parse(text) });
    });
    sent.end('{}');
  });
}

/** Waits until the child listens. Throws if it exits. */
async function listening(child: ChildProcess, socketPath: string): Promise<void> {
  while (child.exitCode === null) {
    const there = await post(socketPath, '').then(
      () => true,
      () => false,
    );
    if (there) return;
    await delay(20);
  }
  throw new Error(`the example ended with ${child.exitCode}`);
}

test('the Express app of the README accepts while it runs and answers 503 while it is paused', async () => {
  const { root } = doorFleet(['lane-a']);
  const file = written(ofExpress);
  const socketPath = join(file, '..', 'http.sock');
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, GATEWAY_HOME: homeOf(root, 'lane-a'), PORT: socketPath },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await listening(child, socketPath);

  const accepted = { status: 202, body: { accepted: 'report' } };
  expect(await post(socketPath, 'key-of-ops')).toMatchObject(accepted);
  const id = hold(root, 'bad deploy');
  expect(await post(socketPath, 'key-of-ops')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '60', 'content-type': 'application/problem+json' },
    body: { type: 'urn:fleet-estop:problem:paused', profile: 'lane-a', until: null, holds: [id] },
  });
  expect((await post(socketPath, 'guessed')).status).toBe(401);
  liftAll(root);
  expect(await post(socketPath, 'key-of-ops')).toMatchObject(accepted);
});

test('what the README adds to an Express app is ten lines', () => {
  const lines = ofExpress.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(10);
});

test('the scheduler, the board and the conversations of the page on doors do as they say', async () => {
  const { root, gate } = doorFleet(['lane-a'], { resumeSpreadMs: 0 });
  const did: string[] = [];
  const sweptInHand: boolean[] = [];
  let isWaiting = true;
  // Without timers and the sweep, which run by themselves.
  const byTicks = () => did.filter((it) => !it.startsWith('timers') && it !== 'overdue');
  let worker: ChildProcess | undefined;
  onTestFinished(() => void worker?.kill('SIGKILL'));
  const note = (what: string) => (): void => void did.push(what);
  const ticks: ((job: { name: string; work: () => void }) => Promise<unknown>)[] = [];
  const globals = {
    gate,
    report: note('report'),
    ticker: {
      onTick: (tick: (typeof ticks)[number]) => ticks.push(tick),
      start: note('timers on'),
      stop: note('timers off'),
    },
    jobs: {
      overdue: () => (did.includes('overdue') ? [] : [{ name: 'late' }]),
      run() {
        did.push('overdue');
        sweptInHand.push(readRegister(globals.home).work.some(({ id }) => id === 'late'));
      },
    },
    cards: {
      reclaimStale: note('housekeeping'),
      claimNext() {
        if (!isWaiting) return null;
        isWaiting = false;
        return { id: 'card-1' };
      },
      startWorker() {
        did.push('worker');
        // Runs until its input ends.
        worker = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
        return worker;
      },
      unclaim: note('unclaim'),
    },
    workers: new Map([
      ['busy', { exitCode: null, signalCode: null, tell: () => 'told the worker' }],
      ['killed', { exitCode: null, signalCode: 'SIGKILL', tell: () => 'told the dead' }],
    ]),
    approvals: { isAnswer: (_: string, text: string) => text === 'approved' },
    agent: { answer: async () => 'answered' },
    home: homeOf(root, 'lane-a'),
    admins: new Set(['ops']),
  };
  Object.assign(globalThis, globals);
  const { onMessage } = await import(pathToFileURL(written(ofOthers)).href);
  const tickAll = () => Promise.all(ticks.map((tick) => tick({ name: 'job', work: note('job') })));
  const say = (text: string, conversation = 'c1', principal = 'ops') =>
    onMessage({ text, conversation, principal });

  hold(root, 'bad deploy');
  await tickAll();
  expect(byTicks()).toEqual(['housekeeping']);
  expect(await say('hello')).toMatch(/^New work on lane-a is paused: bad deploy/);
  expect(await say('hello')).toBe(null);
  expect(await say('go on', 'busy')).toBe('told the worker');
  expect(await say('go on', 'killed')).toMatch(/paused/);
  expect(await say('/pause status')).toMatch(/bad deploy/);
  expect(await say('approved')).toBe('answered');
  liftAll(root);
  holdFor(root, ['ops']);
  expect(await say('hello')).toBe('answered');
  expect(await say('hello', 'c2', 'ci')).toMatch(/paused/);
  liftAll(root);
  const talk = gate.begin({ door: 'turn', id: 'c3' });
  expect(await say('hello', 'c3')).toBe('still busy with your last message');
  talk?.end();
  did.length = 0;
  await tickAll();
  expect(byTicks().toSorted()).toEqual(['housekeeping', 'job', 'worker']);
  expect(gate.inFlight()).toBe(1);
  isWaiting = true;
  await expect(tickAll()).rejects.toThrow('a worker of card card-1 runs already');
  expect(did.filter((it) => it === 'worker')).toHaveLength(1);
  expect(gate.inFlight()).toBe(1);
  worker?.stdin?.end();
  if (worker !== undefined) await once(worker, 'exit');
  expect(gate.inFlight()).toBe(0);
  await expect.poll(() => sweptInHand).toContain(true);
});
