/** Due jobs run or are skipped, and work stays in hand for as long as its function runs. */
import { expect, test } from 'vitest';
import { cronDoor, withWork } from '../../src/index.ts';
import { doorFleet, HOLDS, hold, holdFor, homeOf, liftAll, NO_HOLDS } from './door-fleet.ts';

test.each(NO_HOLDS)('%s: a job that is due is run, as work in hand', async (_, place) => {
  const { root, gate } = doorFleet();
  place(root);
  const cron = cronDoor(gate);
  expect(cron.tick()).toBe(true);
  const run = await cron.run('report', () => gate.inFlight('a'));
  expect(run).toEqual({ ran: true, value: 1 });
  expect(gate.inFlight('a')).toBe(0);
});

test.each(HOLDS)('%s: it is skipped, and leaves no receipt', async (_, place) => {
  const { root, gate, receipts } = doorFleet();
  place(root);
  const cron = cronDoor(gate);
  let ran = 0;
  expect(cron.tick()).toBe(false);
  for (let tick = 0; tick < 3; tick += 1) {
    const run = await cron.run('report', () => {
      ran += 1;
    });
    expect(run).toEqual({ ran: false, why: 'held' });
  }
  expect(ran).toBe(0);
  expect(receipts()).toEqual([]);
});

test('after the lift a job runs once, however often it was skipped', async () => {
  const { root, gate } = doorFleet();
  const cron = cronDoor(gate);
  let ran = 0;
  const job = () => {
    ran += 1;
  };
  hold(root, 'bad deploy');
  for (let tick = 0; tick < 5; tick += 1) await cron.run('report', job);
  liftAll(root);
  await cron.run('report', job);
  expect(ran).toBe(1);
});

test('a scheduler has no name, so an allowlist lets nothing of it pass', () => {
  const { root, gate } = doorFleet();
  holdFor(homeOf(root, 'a'), ['ops', 'cron', 'a']);
  expect(cronDoor(gate).tick()).toBe(false);
});

test('a job goes on while a pause comes, and its next run waits for the one before', async () => {
  const { root, gate } = doorFleet();
  const cron = cronDoor(gate);
  let finish = (_: string) => {};
  const long = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const first = cron.run('report', () => long);
  expect(await cron.run('report', () => 'twice')).toEqual({ ran: false, why: 'in-hand' });
  expect(await cron.run('backup', () => 'another')).toEqual({ ran: true, value: 'another' });
  hold(root, 'bad deploy');
  expect(gate.inFlight('a')).toBe(1);
  finish('done');
  expect(await first).toEqual({ ran: true, value: 'done' });
  expect(gate.inFlight('a')).toBe(0);
});

test.each<[string, () => Promise<never>]>([
  [
    'throws',
    () => {
      throw new Error('no network');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no network'))],
])('work that %s is ended, and the error comes through', async (_, job) => {
  const { gate } = doorFleet();
  await expect(cronDoor(gate).run('report', job)).rejects.toThrow('no network');
  expect(gate.inFlight('a')).toBe(0);
  const work = { door: 'turn', id: 'c1' } as const;
  await expect(withWork(gate, work, job)).rejects.toThrow('no network');
  expect(gate.inFlight('a')).toBe(0);
});

test('work with an id that is in hand is not begun again', async () => {
  const { gate } = doorFleet();
  const work = { door: 'turn', id: 'c1' } as const;
  const outer = await withWork(gate, work, async () => ({
    inner: await withWork(gate, work, () => 'never'),
    other: await withWork(gate, { ...work, id: 'c2' }, () => gate.inFlight()),
  }));
  expect(outer).toEqual({
    begun: true,
    value: { inner: { begun: false }, other: { begun: true, value: 2 } },
  });
  expect(await withWork(gate, work, () => 'now')).toEqual({ begun: true, value: 'now' });
});

test('work that ended itself is not an error', async () => {
  const { gate } = doorFleet();
  const did = await withWork(gate, { door: 'turn', id: 'c1' }, (inHand) => inHand.end());
  expect(did).toEqual({ begun: true, value: true });
});

test('a scheduler of a gate with several profiles must say whose it is', () => {
  const { gate } = doorFleet(['a', 'b']);
  expect(() => cronDoor(gate)).toThrow(expect.objectContaining({ code: 'PROFILE_UNKNOWN' }));
  expect(cronDoor(gate, { profile: 'b' }).tick()).toBe(true);
});

test('a job whose last run hangs is logged once, with its age, and with the number of skips when it runs again', async () => {
  const said: { level: string; fields: object; message: string }[] = [];
  const to = (level: string) => (fields: object, message: string) =>
    void said.push({ level, fields, message });
  const { gate } = doorFleet(['a'], { log: { info: to('info'), warn: to('warn') } });
  const cron = cronDoor(gate);
  let finish = () => {};
  const hanging = cron.run('report', () => new Promise<void>((resolve) => (finish = resolve)));
  for (let tick = 0; tick < 101; tick += 1) {
    expect(await cron.run('report', () => {})).toEqual({ ran: false, why: 'in-hand' });
  }
  expect(said).toEqual([
    {
      level: 'warn',
      fields: expect.objectContaining({ id: 'report', pid: process.pid, fate: 'running' }),
      message: expect.stringMatching(/^cron skips `report`: its last run is still in hand \(age: /),
    },
  ]);
  finish();
  await hanging;
  expect(await cron.run('report', () => 1)).toEqual({ ran: true, value: 1 });
  expect(said.slice(1)).toEqual([
    {
      level: 'info',
      fields: expect.objectContaining({ skipped: 101 }),
      message: 'cron runs `report` again: it was skipped 101 times',
    },
  ]);
  await cron.run('report', () => 1);
  expect(said).toHaveLength(2);
});
