/** Gateways that are killed or stopped with work in hand, and workers that outlive them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processAt } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import { killAtTheEnd, startHolder, until } from './support/holders.ts';
import { fates, fatesIn, folderOf, makeHome, opened, turn } from './support/homes.ts';

const claimsOf = (home: string): string => join(folderOf(home), 'claims');

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(2, '0')}`);

test('after a kill the register tells what was cut off, to one successor and once', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  await gateway.ask({ does: 'begin', ids: ['s1', 's2', 's3'] });
  await gateway.ask({ does: 'end', ids: ['s2'] });
  expect(fatesIn(home)).toEqual([
    ['s1', 'running'],
    ['s3', 'running'],
  ]);
  await gateway.killed();
  expect(fatesIn(home)).toEqual([
    ['s1', 'abandoned'],
    ['s3', 'abandoned'],
  ]);
  const successors = await Promise.all([startHolder(home), startHolder(home), startHolder(home)]);
  const reported = successors.flatMap(({ opened }) => opened.cutOff);
  expect(reported.sort()).toEqual(['s1', 's3']);
  expect(successors.map(({ opened }) => opened.count)).toEqual([0, 0, 0]);
  expect(fatesIn(home)).toEqual([]);
});

test('what a killed gateway leaves is reported once, by one of the living ones', async () => {
  const home = makeHome();
  const ids = names('s', 60);
  const living = await Promise.all(names('gw', 3).map(() => startHolder(home, 60)));
  const gateway = await startHolder(home);
  await gateway.ask({ does: 'begin', ids });
  await gateway.killed();
  await until(() => fatesIn(home).length === 0);
  const said = await Promise.all(living.map((one) => one.ask({ does: 'look' })));
  expect(said.flatMap(({ cutOff }) => cutOff).sort()).toEqual(ids);
});

test('work that goes from one process to another is seen at every look, and once', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  await gateway.ask({ does: 'roam', pids: [gateway.pid, process.pid] });
  await until(() => fatesIn(home).length === 1);
  for (let look = 0; look < 300; look++) {
    const read = readRegister(home);
    // A claim that differed in each read is reported as changing.
    expect(read.work.length === 1 || !read.complete).toBe(true);
  }
});

test('a reader clears nothing away', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  await gateway.ask({ does: 'begin', ids: ['s1'] });
  await gateway.killed();
  fatesIn(home);
  expect(fatesIn(home)).toEqual([['s1', 'abandoned']]);
  expect(opened(home).found.cutOff).toMatchObject([{ door: 'turn', id: 's1', pid: gateway.pid }]);
});

test('a stopped gateway has its work in hand, however long its lease has run out', async () => {
  const home = makeHome();
  const gateway = await startHolder(home, 30);
  await gateway.ask({ does: 'begin', ids: ['s1'] });
  gateway.signal('SIGSTOP');
  const later = () => Date.now() + 86_400_000;
  const successor = opened(home, { now: later, alone: true });
  expect(successor.found).toEqual({ cutOff: [], adopted: [] });
  expect(successor.begin(turn('s1'))).toBeNull();
  expect(fates(successor.list())).toEqual([['s1', 'running']]);
  gateway.signal('SIGCONT');
  expect((await gateway.ask({ does: 'end', ids: ['s1'] })).done).toEqual(['s1']);
});

test('of six gateways that want the work of a dead one, each piece goes to exactly one', async () => {
  const home = makeHome();
  const ids = names('s', 40);
  const dead = await startHolder(home);
  const crowd = await Promise.all(names('gw', 6).map(() => startHolder(home)));
  await dead.ask({ does: 'begin', ids });
  await dead.killed();
  const answers = await Promise.all(crowd.map((one) => one.ask({ does: 'begin', ids })));
  expect(answers.flatMap(({ done }) => done).sort()).toEqual(ids);
  expect(fatesIn(home)).toEqual(ids.map((id) => [id, 'running']));
  expect(answers.reduce((sum, { count }) => sum + count, 0)).toBe(ids.length);
  const ended = await Promise.all(crowd.map((one) => one.ask({ does: 'end', ids })));
  expect(ended.flatMap(({ done }) => done).sort()).toEqual(ids);
  expect(readdirSync(claimsOf(home))).toEqual([]);
});

test('a worker that outlives its gateway counts as running, once, until it ends', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  const { pids } = await gateway.ask({ does: 'work', ids: ['card-1', 'card-2'] });
  killAtTheEnd(pids);
  await gateway.ask({ does: 'begin', ids: ['turn-1'] });
  await gateway.killed();
  expect(fatesIn(home)).toEqual([
    ['card-1', 'running'],
    ['card-2', 'running'],
    ['turn-1', 'abandoned'],
  ]);

  const successors = await Promise.all([startHolder(home, 300), startHolder(home, 300)]);
  expect(successors.flatMap(({ opened }) => opened.adopted).sort()).toEqual(['card-1', 'card-2']);
  expect(successors.flatMap(({ opened }) => opened.cutOff)).toEqual(['turn-1']);
  const counts = async () => {
    const said = await Promise.all(successors.map((one) => one.ask({ does: 'look' })));
    return said.reduce((sum, { count }) => sum + count, 0);
  };
  await until(async () => (await counts()) === 2);
  expect(fatesIn(home)).toEqual([
    ['card-1', 'running'],
    ['card-2', 'running'],
  ]);
  for (const one of successors) {
    expect((await one.ask({ does: 'begin', ids: ['card-1', 'card-2'] })).done).toEqual([]);
  }

  process.kill(pids[0] ?? 0, 'SIGKILL');
  await until(async () => (await counts()) === 1);
  expect(fatesIn(home)).toEqual([['card-2', 'running']]);
  const [one] = successors;
  expect((await one?.ask({ does: 'begin', ids: ['card-1'] }))?.done).toEqual(['card-1']);
});

test('a killed worker is no running work, though its gateway lives and has not said so', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  const { pids } = await gateway.ask({ does: 'work', ids: ['card-1'] });
  const [worker = 0] = pids;
  process.kill(worker, 'SIGKILL');
  await until(() => processAt(worker) === 'gone');
  expect(fatesIn(home)).toEqual([['card-1', 'abandoned']]);
  const other = opened(home);
  expect(other.found.cutOff).toEqual([]);
  const successor = other.begin(turn('card-1'));
  expect(successor).not.toBeNull();
  expect((await gateway.ask({ does: 'end', ids: ['card-1'] })).done).toEqual([]);
  expect(fatesIn(home)).toEqual([['card-1', 'running']]);
  expect(successor?.end()).toBe(true);
});

test('a gateway begins the work of its own killed worker again', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  const { pids } = await gateway.ask({ does: 'work', ids: ['card-1'] });
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await until(() => processAt(pids[0] ?? 0) === 'gone');
  expect((await gateway.ask({ does: 'begin', ids: ['card-1'] })).done).toEqual(['card-1']);
  expect(fatesIn(home)).toEqual([['card-1', 'running']]);
});

test('wherever a gateway is killed, all that stands is its own, and goes with the next opening', async () => {
  const home = makeHome();
  const ids = names('s', 3);
  for (let round = 0; round < 8; round++) {
    const gateway = await startHolder(home);
    await gateway.ask({ does: 'churn', ids });
    // Somewhere in the loop: a different place on every run.
    await until(() => existsSync(claimsOf(home)) && Math.random() < 0.5);
    await gateway.killed();
    const left = fatesIn(home);
    expect(left.every(([, fate]) => fate === 'abandoned')).toBe(true);
    const successor = opened(home);
    expect(readdirSync(claimsOf(home))).toEqual([]);
    expect(successor.found.cutOff.map(({ id }) => id).sort()).toEqual(left.map(([id]) => id));
    const begun = ids.map((id) => successor.begin(turn(id)));
    expect(begun.map((claim) => claim?.end())).toEqual([true, true, true]);
    successor.close();
  }
  // An owner that was killed before it wrote its record may still be starting; after an hour it is removed.
  opened(home, { now: () => Date.now() + 2 * 3_600_000 });
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([]);
});
