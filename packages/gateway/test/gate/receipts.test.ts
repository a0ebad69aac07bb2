/** Every refusal leaves a receipt, and a receipt that cannot be written admits nobody. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReceipts, receiptsPath } from '@fleet-estop/ledger';
import { expect, test } from 'vitest';
import type { LostReceipt } from '../../src/index.ts';
import { hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';
import { opened, receiptsIn } from './opened.ts';

function servedProfile() {
  const root = makeRoot('a');
  const home = homeOf(root, 'a');
  return { root, home };
}

test('each refusal leaves one: door, principal, profile, holds, time and process', () => {
  const { root, home } = servedProfile();
  const gate = opened(home, { instance: 'g1' });
  const ids = [hold(home, 'near'), hold(root, 'far')];
  const beforeMs = Date.now();
  gate.admit({ door: 'turn', principal: 'ops' });
  gate.admit({ door: 'cron-webhook' });
  const shared = { profile: 'a', holds: ids, pid: process.pid, instance: 'g1' };
  expect(receiptsIn(home)).toMatchObject([
    { ...shared, door: 'turn', principal: 'ops' },
    { ...shared, door: 'cron-webhook', principal: null },
  ]);
  for (const { atMs } of receiptsIn(home)) {
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(atMs).toBeLessThanOrEqual(Date.now());
  }
});

test('who is admitted, who only asks, and a scheduler that is held leave none', () => {
  const { home } = servedProfile();
  const gate = opened(home);
  gate.admit({ door: 'turn' });
  hold(home, 'held');
  gate.ask({ door: 'turn' });
  gate.dispatch('cron');
  expect(receiptsIn(home)).toEqual([]);
  gate.admit({ door: 'turn' });
  liftAll(home);
  gate.admit({ door: 'turn' });
  expect(receiptsIn(home)).toHaveLength(1);
});

test('the refusals of two gateways of one home add up', () => {
  const { home } = servedProfile();
  const gates = [opened(home), opened(home)];
  hold(home, 'held');
  for (let times = 0; times < 50; times++) {
    for (const gate of gates) gate.admit({ door: 'turn', principal: String(times) });
  }
  const { receipts, corrupt } = readReceipts(home);
  expect([receipts.length, corrupt]).toEqual([100, 0]);
});

test('a storm of 3,000 refusals is recorded, each of them', () => {
  const { home } = servedProfile();
  const gate = opened(home);
  hold(home, 'held');
  const startMs = performance.now();
  for (let times = 0; times < 3_000; times++) {
    gate.admit({ door: 'turn', principal: `somebody ${times}` });
  }
  const eachMs = (performance.now() - startMs) / 3_000;
  process.stdout.write(`a refusal with its receipt: ${(eachMs * 1000).toFixed(0)} µs\n`);
  const { receipts, corrupt } = readReceipts(home);
  expect([receipts.length, corrupt]).toEqual([3_000, 0]);
  expect(receipts.at(-1)?.principal).toBe('somebody 2999');
});

test('if no receipt can be written, the refusal stands, and it is reported once until one can be', () => {
  const { home } = servedProfile();
  const lost: LostReceipt[] = [];
  const gate = opened(home, { onReceiptLost: (it) => lost.push(it) });
  hold(home, 'held');
  const path = receiptsPath(home);
  mkdirSync(path, { recursive: true });
  const refuse = () => expect(gate.admit({ door: 'turn' }).admitted).toBe(false);
  for (let times = 0; times < 3; times++) refuse();
  expect(lost).toEqual([{ profile: 'a', home, why: 'EISDIR' }]);
  rmSync(path, { recursive: true });
  refuse();
  rmSync(join(home, '.fleet'), { recursive: true });
  writeFileSync(join(home, '.fleet'), 'in the way');
  for (let times = 0; times < 3; times++) refuse();
  expect(lost.map(({ why }) => why)).toEqual(['EISDIR', 'ENOTDIR']);
});

test('an author that throws when it hears of that admits nobody by it', async () => {
  const { home } = servedProfile();
  const gate = opened(home, {
    onReceiptLost() {
      throw new Error('of the author');
    },
  });
  hold(home, 'held');
  mkdirSync(receiptsPath(home), { recursive: true });
  const surfaced = uncaught();
  expect(gate.admit({ door: 'turn' }).admitted).toBe(false);
  expect(await surfaced).toBe('of the author');
});

test('what an outsider says is data in it: one line, of bounded length', () => {
  const { home } = servedProfile();
  const gate = opened(home);
  hold(home, 'held');
  const principal = `"}\n{"door":"forged"\u2028\ud800${'x'.repeat(1_000_000)}`;
  gate.admit({ door: 'd'.repeat(1_000_000), principal });
  const text = readFileSync(receiptsPath(home), 'utf8');
  expect(text.split('\n')).toHaveLength(2);
  expect(text.length).toBeLessThan(2_000);
  const [receipt] = receiptsIn(home);
  expect(receipt?.principal?.startsWith('"}\n{"door":"forged"')).toBe(true);
  expect(receipt?.principal?.endsWith(' […]')).toBe(true);
});

/** Captures the next uncaught error, which would otherwise end the test run. */
function uncaught(): Promise<string> {
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  return new Promise((resolve) => {
    process.once('uncaughtException', ({ message }) => {
      for (const listener of others) process.on('uncaughtException', listener);
      resolve(message);
    });
  });
}
