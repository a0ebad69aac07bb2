/** The sample over time: its timers under a pause, and how it ends. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { endSample, makeHome, type Sample, startSample, statusOf, until } from './sample.ts';

const made: { home: string; remove(): void }[] = [];
const started: Sample[] = [];
async function start(words: readonly string[]): Promise<Sample> {
  const one = makeHome();
  made.push(one);
  const sample = await startSample(one.home, { words });
  started.push(sample);
  return sample;
}
afterEach(async () => {
  for (const sample of started.splice(0)) await endSample(sample, 'SIGKILL');
  for (const { remove } of made.splice(0)) remove();
});

test('a pause stops the timers, and after the resume what was missed is made up for once', async () => {
  const { home } = await start(['--cron', '* * * * * *', '--resume-spread', '0']);
  const log = join(home, 'cron.log');
  const lines = () =>
    existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').filter(Boolean) : [];
  await until('the job has run', () => lines().length >= 1);

  writeFileSync(join(home, 'ESTOP'), '');
  const held = lines().length;
  // Two runs become due meanwhile, however slow this machine is.
  await delay(2_100);
  expect(lines().length).toBe(held);

  rmSync(join(home, 'ESTOP'));
  await until('it was made up for', () => lines().some((line) => line.includes('made up for')));
  await until('it runs again', () => lines().at(-1)?.endsWith('on time') === true);
  const caughtUp = lines().filter((line) => line.includes('made up for'));
  expect(caughtUp).toHaveLength(1);
  expect(Number(/made up for ([0-9]+) missed/.exec(caughtUp[0] ?? '')?.[1])).toBeGreaterThan(1);
});

test('asked to end, it lets a turn and a worker finish, and ends with status 0', async () => {
  const sample = await start(['--step', '200', '--board-every', '50']);
  const chat = sample.chat({ as: 'guest', conversation: 'c1', text: 'count to 8' });
  await sample.fetch('/hooks/report', { body: { steps: 4 }, id: 'report-1' });
  await until('both are in hand', async () => (await statusOf(sample)).in_flight === 2);
  expect(await endSample(sample)).toBe(0);
  expect((await chat).slice(-2)).toEqual([{ event: 'said', text: '8 of 8' }, { event: 'ended' }]);
  expect(existsSync(join(sample.home, 'board/done/report-1.json'))).toBe(true);
});

test('whoever is unknown is answered 401 at every address, and nobody else may let it look', async () => {
  const sample = await start([]);
  for (const path of ['/status', '/board', '/chat', '/now/cron', '/nothing-there']) {
    expect((await sample.fetch(path, { as: null })).status).toBe(401);
    expect((await sample.fetch(path, { as: 'stranger' })).status).toBe(401);
  }
  expect((await sample.fetch('/now/cron', { as: 'guest', body: {} })).status).toBe(403);
  expect((await sample.fetch('/chat', { as: 'guest', body: { text: 1 } })).status).toBe(400);
  const long = { conversation: 'c', text: 'x'.repeat(70_000) };
  expect((await sample.fetch('/chat', { as: 'guest', body: long })).status).toBe(400);
});

test('a delivery that is sent twice is one card, and one with a path for a name is none', async () => {
  const sample = await start(['--board-every', '3600000']);
  const post = (id: string) => sample.fetch('/hooks/report', { as: 'guest', body: {}, id });
  expect((await post('a')).status).toBe(202);
  expect((await post('a')).status).toBe(200);
  expect((await post('../../escape')).status).toBe(400);
  const { cards } = (await (await sample.fetch('/board')).json()) as { cards: { id: string }[] };
  expect(cards.map(({ id }) => id)).toEqual(['a']);
});
