/** After a kill, the next gateway reports what was cut off and counts what still runs. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endSample, makeHome, type Sample, startSample, statusOf, until } from './sample.ts';

const WORDS = ['--step', '100', '--board-every', '50'];
const { home, remove } = makeHome();
const started: Sample[] = [];
const start = async (): Promise<Sample> => {
  const sample = await startSample(home, { words: WORDS });
  started.push(sample);
  return sample;
};
afterEach(async () => {
  for (const sample of started) await endSample(sample, 'SIGKILL');
  remove();
});

const putCard = (id: string, steps: number): void => {
  const card = { title: id, steps, failures: 0, by: 'guest' };
  writeFileSync(join(home, 'board', `${id}.new`), JSON.stringify(card));
  renameSync(join(home, 'board', `${id}.new`), join(home, 'board/todo', `${id}.json`));
};
const isDone = (id: string): boolean => existsSync(join(home, 'board/done', `${id}.json`));

test('a killed gateway’s turn was cut off, its worker goes on and is counted once, and neither is forgotten', async () => {
  const first = await start();
  const chat = first.chat({ as: 'guest', conversation: 'c1', text: 'count to 1000' });
  chat.catch(() => {});
  putCard('long', 80);
  await until('a turn and a worker are in hand', async () => {
    const { turns, workers } = await statusOf(first);
    return turns.length === 1 && workers['long'] !== undefined;
  });
  const worker = (await statusOf(first)).workers['long'];
  expect((await statusOf(first)).in_flight).toBe(2);
  await endSample(first, 'SIGKILL');
  await expect(chat).rejects.toThrow();

  const second = await start();
  const said = (message: string) => second.log().filter((line) => line.message === message);
  expect(said('was cut off')).toMatchObject([{ door: 'turn', id: 'c1' }]);
  expect(said('still runs in a worker')).toMatchObject([
    { door: 'kanban', id: 'long', pid: worker },
  ]);
  expect((await statusOf(second)).in_flight).toBe(1);
  // Only the worker has the card: the board leaves it alone and continues.
  putCard('short', 0);
  await until('another card is worked on', () => isDone('short'));
  expect(isDone('long')).toBe(false);
  expect(existsSync(join(home, 'board/doing/long.json'))).toBe(true);

  // The worker has moved the card; the gateway does not know yet that it ended.
  await until('only the first is in hand', async () => (await statusOf(second)).in_flight === 1);

  // A third gateway also counts one piece of work, and no turn.
  await endSample(second, 'SIGKILL');
  const third = await start();
  expect(third.log().filter(({ message }) => message === 'was cut off')).toEqual([]);
  expect((await statusOf(third)).in_flight).toBe(1);
  await until('the worker has finished its card', () => isDone('long'));
  await until('it is not counted any more', async () => (await statusOf(third)).in_flight === 0);
  // The conversation is free again.
  const events = await third.chat({ as: 'guest', conversation: 'c1', text: 'hello' });
  expect(events.map(({ event }) => event)).toEqual(['began', 'said', 'ended']);
});
