/** A gateway learns from a real `fleet resume --missed` what becomes of missed work, and obeys. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GateChange,
  type MisfireOptions,
  misfireDoor,
  openGate,
  type Swept,
} from '@fleet-estop/gateway';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, type Fleet, makeFleet } from '../support/fleet.ts';

/** A list that can be waited for. */
function heard<T>() {
  const items: T[] = [];
  let wake = () => {};
  return {
    items,
    add(item: T) {
      items.push(item);
      wake();
    },
    async first(fits: (item: T) => boolean): Promise<T> {
      for (;;) {
        const found = items.find(fits);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** A gateway of lane-a with one overdue job as soon as it is held. */
function gateway(fleet: Fleet, options: Partial<MisfireOptions<string>> = {}) {
  const logged: string[] = [];
  const log = { info: (_: object, message: string) => void logged.push(message) };
  const home = fleet.folder('lane-a');
  const gate = openGate({ home, link: false, resumeSpreadMs: 0, log });
  onTestFinished(() => gate.close());
  const changes = heard<GateChange>();
  gate.onChange(changes.add);
  const overdue = new Set<string>();
  const ran: string[] = [];
  const sweeps = heard<Swept<string>>();
  const door = misfireDoor<string>(gate, {
    missed: () => [...overdue],
    start(job) {
      ran.push(job);
      overdue.delete(job);
    },
    onSwept: sweeps.add,
    ...options,
  });
  const pause = async (...words: readonly string[]): Promise<void> => {
    expect(fleet.run(['pause', ...words]).code).toBe(0);
    await changes.first(({ engaged }) => engaged);
    overdue.add('report');
  };
  return { gate, door, changes, sweeps, overdue, ran, logged, pause };
}

/** By the root and by itself: this gate has seen both holds. */
const isHeldTwice = ({ scopes }: GateChange): boolean =>
  scopes.filter(({ check }) => check.engaged).length === 2;
const isFreed = ({ engaged, ended }: GateChange): boolean => !engaged && ended.length > 0;
const refused = (fleet: Fleet) => fleet.json(['history', '--refused']).document;

describe('with the lift', () => {
  it.each(['skip', 'catch-up', 'ask'])('a gateway is told `%s`', async (choice) => {
    const fleet = makeFleet('lane-a');
    const { changes, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume', '--missed', choice]);
    expect((await changes.first(isFreed)).missed).toBe(choice);
  });

  it('a gateway is told nothing if nobody chose', async () => {
    const fleet = makeFleet('lane-a');
    const { changes, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume']);
    expect((await changes.first(isFreed)).missed).toBe(null);
  });

  it.each([
    [['catch-up', 'ask'], 'ask'],
    [['skip', 'catch-up'], 'skip'],
    [['ask', 'skip'], 'ask'],
  ])(
    'of several choices %j the most careful one counts: %s',
    async ([first = '', second = ''], wins) => {
      const fleet = makeFleet('lane-a');
      const { changes, pause } = gateway(fleet);
      await pause();
      fleet.run(['pause', '-p', 'lane-a']);
      await changes.first(isHeldTwice);
      // Both within one change: commands run while this process reads nothing.
      fleet.run(['resume', '--missed', first]);
      fleet.run(['resume', '-p', 'lane-a', '--missed', second]);
      expect((await changes.first(isFreed)).missed).toBe(wins);
    },
  );

  it.each([
    ['ask', ['resume', '-p', 'lane-a', '--missed', 'catch-up'], 'ask'],
    ['skip', ['resume', '-p', 'lane-a'], 'skip'],
    ['catch-up', ['resume', '-p', 'lane-a', '--missed', 'skip'], 'skip'],
  ])(
    '`%s`, chosen while another hold still stands, counts when that ends by %j: %s',
    async (first, last, wins) => {
      const fleet = makeFleet('lane-a');
      const { changes, pause } = gateway(fleet);
      await pause();
      fleet.run(['pause', '-p', 'lane-a']);
      await changes.first(isHeldTwice);
      fleet.run(['resume', '--missed', first]);
      const between = await changes.first(({ ended }) => ended.length > 0);
      expect([between.engaged, between.missed]).toEqual([true, null]);
      fleet.run(last);
      expect((await changes.first(isFreed)).missed).toBe(wins);
    },
  );

  it('a choice of an earlier pause counts for no later one', async () => {
    const fleet = makeFleet('lane-a');
    const { changes, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume', '--missed', 'skip']);
    await changes.first(isFreed);
    changes.items.length = 0;
    await pause();
    fleet.run(['resume']);
    expect((await changes.first(isFreed)).missed).toBe(null);
  });

  it('a choice that cannot be used is logged, and the default applies', async () => {
    const fleet = makeFleet('lane-a');
    const { changes, pause, logged } = gateway(fleet);
    await pause('-p', 'lane-a');
    const id = bodyOf(fleet.sentinel('lane-a')).holds[0].id;
    const folder = join(fleet.folder('lane-a'), '.fleet', 'missed');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.json`), 'skip');
    // By hand, since `fleet resume` would replace or remove the file.
    rmSync(fleet.sentinel('lane-a'));
    expect((await changes.first(isFreed)).missed).toBe(null);
    expect(logged.filter((line) => line.includes('missed work'))).toHaveLength(1);
  });
});

describe('the misfire door', () => {
  it('skips with `skip`, says so to its author, and leaves a receipt for each job', async () => {
    const fleet = makeFleet('lane-a');
    const told: string[] = [];
    const { sweeps, ran, pause } = gateway(fleet, { skip: (job) => void told.push(job) });
    await pause();
    fleet.run(['resume', '--missed', 'skip']);
    expect((await sweeps.first(({ skipped }) => skipped !== undefined)).skipped).toEqual([
      'report',
    ]);
    expect([ran, told]).toEqual([[], ['report']]);
    expect(refused(fleet)).toMatchObject({
      refused: 0,
      counts: [{ door: 'cron-misfire', refused: 0, skipped: 1 }],
      newest: [{ door: 'cron-misfire', profile: 'lane-a', principal: null, skipped: true }],
    });
    expect(fleet.run(['history', '--refused']).stdout).toContain('skipped at its lift');
  });

  it('leaves no receipt with `skip` where the gateway cannot record it, since the next sweep runs the jobs', async () => {
    const fleet = makeFleet('lane-a');
    const { door, sweeps, ran, logged, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume', '--missed', 'skip']);
    await sweeps.first(({ skipped }) => skipped !== undefined);
    expect(ran).toEqual([]);
    expect(refused(fleet).newest).toEqual([]);
    expect(logged.filter((line) => line.includes('no receipt is left'))).toHaveLength(1);
    await door.sweep();
    expect(ran).toEqual(['report']);
  });

  it.each([['--missed', 'catch-up'], []])('runs with %j', async (...words) => {
    const fleet = makeFleet('lane-a');
    const { sweeps, ran, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume', ...words]);
    await sweeps.first((swept) => swept.ran.length > 0);
    expect(ran).toEqual(['report']);
    expect(refused(fleet).newest).toEqual([]);
  });

  it('neither runs nor skips with `ask` until somebody decides, and logs it', async () => {
    const fleet = makeFleet('lane-a');
    const { door, sweeps, ran, overdue, logged, pause } = gateway(fleet);
    await pause();
    fleet.run(['resume', '--missed', 'ask']);
    await sweeps.first(({ undecided }) => undecided === true);
    expect(await door.sweep()).toMatchObject({ ran: [], undecided: true });
    expect([ran, [...overdue]]).toEqual([[], ['report']]);
    expect(logged.some((line) => line.includes('wait for a decision'))).toBe(true);
    expect(await door.sweep('catch-up')).toMatchObject({ ran: ['report'] });
  });

  it.each(['skip', 'catch-up'] as const)(
    'asks its author with `ask`, who says %s',
    async (says) => {
      const fleet = makeFleet('lane-a');
      const { sweeps, ran, pause } = gateway(fleet, { onAsk: () => says });
      await pause();
      fleet.run(['resume', '--missed', 'ask']);
      await sweeps.first((swept) => swept.ran.length > 0 || swept.skipped !== undefined);
      expect(ran).toEqual(says === 'skip' ? [] : ['report']);
    },
  );
});
