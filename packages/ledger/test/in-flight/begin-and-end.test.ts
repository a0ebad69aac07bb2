/** The work of one process, as it sees it itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { readRegister } from '../../src/in-flight/read-register.ts';
import type { WorkToBegin } from '../../src/in-flight/register.ts';
import { startHolder, until } from './support/holders.ts';
import { claimOf, entriesOf, fatesIn, folderOf, makeHome, opened, turn } from './support/homes.ts';

test('work in hand stands in the register until it ends', () => {
  const home = makeHome();
  const register = opened(home, { instance: 'gw-1', now: () => Date.UTC(2030, 0, 1) });
  const claim = register.begin({ door: 'turn', id: 's1', principal: 'ops' });
  expect(claim).toMatchObject({ recorded: true, owner: register.owner });
  expect(readRegister(home)).toMatchObject({
    complete: true,
    work: [
      {
        door: 'turn',
        id: 's1',
        principal: 'ops',
        since: '2030-01-01T00:00:00.000+00:00',
        owner: register.owner,
        instance: 'gw-1',
        pid: process.pid,
        fate: 'running',
      },
    ],
  });
  expect(register.count()).toBe(1);
  expect(claim?.end()).toBe(true);
  expect(readRegister(home)).toEqual({ complete: true, work: [] });
  expect(register.count()).toBe(0);
});

test('a gateway without work leaves nothing in its home', () => {
  const home = makeHome();
  opened(home).close();
  expect(readdirSync(home)).toEqual([]);
});

test('the same work is begun once, be it by another register of the process', () => {
  const home = makeHome();
  const [one, other] = [opened(home), opened(home)];
  const claim = one.begin(turn('s1'));
  expect(one.begin(turn('s1'))).toBeNull();
  expect(other.begin(turn('s1'))).toBeNull();
  expect(other.begin({ door: 'cron', id: 's1' })).not.toBeNull();
  claim?.end();
  expect(other.begin(turn('s1'))).not.toBeNull();
  expect(one.begin(turn('s1'))).toBeNull();
});

test('work that another live register has is not counted here', () => {
  const home = makeHome();
  const one = opened(home);
  one.begin(turn('s1'));
  const other = opened(home);
  other.begin(turn('s2'));
  expect([one.count(), other.count()]).toEqual([1, 1]);
  expect(other.list().work).toHaveLength(2);
});

test('ending twice is nothing, and never ends a successor', () => {
  const home = makeHome();
  const register = opened(home);
  const first = register.begin(turn('s1'));
  expect(first?.end()).toBe(true);
  const second = register.begin(turn('s1'));
  expect(first?.end()).toBe(false);
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
  expect(second?.end()).toBe(true);
});

test('one whose record was removed cannot end what another began since', () => {
  const home = makeHome();
  const [one, other] = [opened(home), opened(home)];
  const stale = one.begin(turn('s1'));
  rmSync(claimOf(home, 's1'), { recursive: true });
  const successor = other.begin(turn('s1'));
  const [entry] = entriesOf(home, 's1');
  expect(stale?.end()).toBe(false);
  expect(entriesOf(home, 's1')).toEqual([entry]);
  expect(successor?.end()).toBe(true);
});

test('one whose record was removed follows no worker', () => {
  const home = makeHome();
  const claim = opened(home).begin(turn('s1'));
  expect(claim?.follow(process.pid)).toBe(true);
  rmSync(claimOf(home, 's1'), { recursive: true });
  expect(claim?.follow(process.pid)).toBe(false);
  expect(claim?.end()).toBe(false);
});

test('a worker that has ended by now is not followed: the work stays with its gateway', async () => {
  const home = makeHome();
  const worker = spawn('true');
  await once(worker, 'exit');
  const register = opened(home);
  const claim = register.begin({ ...turn('s1'), on: worker.pid ?? 0 });
  expect(claim?.follow(worker.pid ?? 0)).toBe(false);
  expect(register.list().work).toMatchObject([{ pid: process.pid, fate: 'running' }]);
});

test('ids from outside are data, whatever they hold and however long they are', () => {
  const home = makeHome();
  const register = opened(home);
  const ids = ['../../../escape', '\0', '/', '.', '\ud800', '\udc00', 'é', 'x'.repeat(5_000)];
  for (const id of ids) expect(register.begin(turn(id))?.recorded).toBe(true);
  const { work } = readRegister(home);
  expect(work.map(({ id }) => id).sort()).toEqual(
    [...ids.slice(0, -1), `${'x'.repeat(255)}…`].sort(),
  );
  expect(register.begin(turn('x'.repeat(5_001)))).not.toBeNull();
  expect(readdirSync(home)).toEqual(['.fleet']);
});

test('a door or an id without a name is refused', () => {
  const register = opened(makeHome());
  expect(() => register.begin(turn(''))).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID' }),
  );
  expect(() => register.begin({ door: '', id: 's1' })).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID' }),
  );
  for (const on of [0, -1, 1.5, Number.NaN]) {
    expect(() => register.begin({ ...turn('s1'), on })).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID' }),
    );
  }
});

test('closing ends no work, and leaves nothing once the last has ended', () => {
  const home = makeHome();
  const register = opened(home);
  const claim = register.begin(turn('s1'));
  register.close();
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
  expect(claim?.end()).toBe(true);
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([]);
  expect(readdirSync(join(folderOf(home), 'claims'))).toEqual([]);
  const late = register.begin(turn('s2'));
  expect(late?.recorded).toBe(true);
  late?.end();
});

test('its folders are the owner’s alone', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  for (const path of [join(home, '.fleet'), folderOf(home), claimOf(home, 's1')]) {
    expect(statSync(path).mode & 0o7777).toBe(0o700);
  }
});

test('an entry says which process the work lives in', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  const [entry = ''] = entriesOf(home, 's1');
  expect(entry.split('.').slice(2)).toEqual([String(process.pid), markOf()?.birth]);
  expect(existsSync(join(folderOf(home), 'owners', entry.split('.')[0] ?? '', 'owner.json'))).toBe(
    true,
  );
});

test.each([undefined, null, 7, Number.NaN, {}, []])(
  'what is no text names no work: %s is refused, so that no two of them are one',
  (name) => {
    const register = opened(makeHome());
    for (const work of [
      { door: 'turn', id: name },
      { door: name, id: 's1' },
    ]) {
      expect(() => register.begin(work as unknown as WorkToBegin)).toThrow(
        expect.objectContaining({ code: 'VALUE_INVALID' }),
      );
    }
    expect(register.count()).toBe(0);
  },
);

test('a claim that another process has taken is reported as lost, once, and ends nothing', async () => {
  const home = makeHome();
  const claim = opened(home, { leaseMs: 60, onUnrecorded: () => {} }).begin(turn('s1'));
  let lost = 0;
  claim?.onLost(() => {
    lost += 1;
  });
  const holder = await startHolder(home);
  // Its owner may record it again before the other comes.
  await until(async () => {
    rmSync(claimOf(home, 's1'), { recursive: true, force: true });
    return (await holder.ask({ does: 'begin', ids: ['s1'] })).done.length === 1;
  });
  await until(() => lost > 0);
  expect(claim?.end()).toBe(false);
  expect(fatesIn(home)).toEqual([['s1', 'running']]);
  expect(lost).toBe(1);
});

test('a record that was removed while its work runs is written again', async () => {
  const home = makeHome();
  const claim = opened(home, { leaseMs: 60 }).begin(turn('s1'));
  rmSync(claimOf(home, 's1'), { recursive: true });
  await until(() => fatesIn(home).length === 1);
  expect(claim?.end()).toBe(true);
  expect(fatesIn(home)).toEqual([]);
});
