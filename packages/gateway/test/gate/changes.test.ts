/** Change events: timers stop and start at once, with and without a watcher. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { describe, expect, test } from 'vitest';
import type { GateChange, LinkStatus } from '../../src/index.ts';
import { disk, hold, homeOf, liftAll, makeRoot, reasons } from '../support/fleets.ts';
import { watching } from '../support/processes.ts';
import { hearing, opened, refusedBy } from './opened.ts';

const isLift = ({ engaged, resumeAfterMs }: GateChange) => !engaged && resumeAfterMs > 0;

describe('a listener', () => {
  test('hears of each profile once before it is registered, in the order of the homes', () => {
    const root = makeRoot('a', 'b', 'c');
    hold(homeOf(root, 'b'), 'b only');
    const gate = opened(['c', 'b', 'a'].map((name) => homeOf(root, name)));
    const { changes } = hearing(gate);
    expect(changes.map(({ profile, engaged }) => [profile, engaged])).toEqual([
      ['c', false],
      ['b', true],
      ['a', false],
    ]);
    expect(changes.every(({ resumeAfterMs }) => resumeAfterMs === 0)).toBe(true);
    expect(changes.map(({ engagement }) => engagement)).toEqual([
      null,
      refusedBy(gate, { profile: 'b' }).engagement,
      null,
    ]);
  });

  test.each([
    ['a link, and no watcher to link to', {}],
    ['no link', { link: false } as const],
  ])('hears of a pause, a second hold and a lift: %s', async (_what, options) => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const { changes, until } = hearing(opened(home, options));
    hold(home, 'one');
    await until(({ scopes }) => reasonsOf(scopes).join() === 'one');
    hold(root, 'two');
    await until(({ scopes }) => reasonsOf(scopes).join() === 'one,two');
    liftAll(root);
    liftAll(home);
    await until(isLift);
    expect(changes.filter(({ engaged }) => !engaged)).toHaveLength(2);
  });

  test('hears of a deadline when it passes, although nothing changes on disk', async () => {
    const root = makeRoot('a');
    hold(homeOf(root, 'a'), 'for a moment', { expiresAt: formatInstant(Date.now() + 300) });
    const { changes, until } = hearing(opened(homeOf(root, 'a')));
    await until(isLift);
    expect(changes.map(({ engaged }) => engaged)).toEqual([true, false]);
  });

  test('that was stopped, or whose gate was closed, hears no more', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const [gate, other] = [opened(home), opened(home)];
    const stopped = hearing(gate);
    stopped.stop();
    stopped.stop();
    const closing = opened(home);
    const ofClosed = hearing(closing);
    closing.close();
    hold(home, 'unheard');
    await hearing(other).until(({ engaged }) => engaged);
    expect([stopped.changes.length, ofClosed.changes.length]).toEqual([1, 1]);
  });

  test('that throws keeps no other from hearing, and its error surfaces', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const gate = opened(home);
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const surfaced: string[] = [];
    process.on('uncaughtException', ({ message }) => surfaced.push(message));
    try {
      gate.onChange(({ engaged }) => {
        throw new Error(`of the author: ${engaged}`);
      });
      const { until } = hearing(gate);
      hold(home, 'held');
      await until(({ engaged }) => engaged);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of others) process.on('uncaughtException', listener);
    }
    expect(surfaced).toEqual(['of the author: false', 'of the author: true']);
  });
});

describe('how a hold ended', () => {
  const ends = ({ ended }: GateChange) => ended.map(({ id, by }) => [id, by]);

  test('is reported with the change: lifted before its deadline, or expired at it', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const { changes, until } = hearing(opened(home));
    const short = hold(home, 'short', { expiresAt: formatInstant(Date.now() + 400) });
    await until(({ engaged }) => engaged);
    const long = hold(root, 'long', { expiresAt: formatInstant(Date.now() + 3_600_000) });
    await until(({ scopes }) => reasonsOf(scopes).join() === 'long');
    liftAll(root);
    await until(isLift);
    expect(changes.flatMap(ends)).toEqual([
      [short, 'expired'],
      [long, 'lifted'],
    ]);
    expect(changes.flatMap(({ ended }) => ended)).toMatchObject([
      { scope: 'profile', reason: 'short' },
      { scope: 'root', reason: 'long' },
    ]);
    // A late listener must not react to ends that are long past.
    expect(hearing(opened(home)).changes.flatMap(ends)).toEqual([]);
  });

  test('its own holder may have placed another: that one was replaced, and nothing was lifted', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const first = hold(home, 'first');
    const { changes, until } = hearing(opened(home));
    hold(home, 'second');
    await until(({ scopes }) => reasonsOf(scopes).join() === 'second');
    expect(changes.flatMap(ends)).toEqual([[first, 'replaced']]);
  });

  test('a hold that cannot be read for a while has not ended, and its end is reported afterwards', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const id = hold(home, 'hidden');
    let fails = false;
    const failing: typeof disk = {
      ...disk,
      lstat(path) {
        if (fails && path.startsWith(home)) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return disk.lstat(path);
      },
    };
    const { changes, until } = hearing(opened(home, { disk: failing }));
    fails = true;
    hold(root, 'other');
    await until(({ scopes }) => scopes.some(({ check }) => check.engaged && check.unreadable));
    expect(changes.flatMap(ends)).toEqual([]);
    fails = false;
    liftAll(home);
    await until(({ scopes }) => reasonsOf(scopes).join() === 'other');
    expect(changes.flatMap(ends)).toEqual([[id, 'lifted']]);
  });

  test.each([
    ['before all dates', '0001-01-01T00:00:00+10:00', '0001-01-01T00:00:00.000+00:00'],
    ['after all dates', '9999-12-31T23:59:59-10:00', '9999-12-31T23:59:59.999+00:00'],
  ])('a deadline %s is reported as the nearest date', async (_what, expires_at, nearest) => {
    const root = makeRoot('a');
    // It may not remove the expired sentinel, so that one holds as well.
    const { changes, until } = hearing(
      opened(homeOf(root, 'a'), { disk: { ...disk, mayRemove: () => false } }),
    );
    const hold = { id: 'beyond', expires_at };
    writeFileSync(join(root, 'ESTOP'), JSON.stringify({ expires_at, holds: [hold] }));
    await until(({ engaged }) => engaged);
    rmSync(join(root, 'ESTOP'));
    await until(isLift);
    expect(changes.flatMap(({ ended }) => ended)).toMatchObject([
      { id: 'beyond', expiresAt: nearest },
    ]);
  });
});

describe('a hold that ends by itself', () => {
  test.each([
    ['is a warning, once, although no watcher runs', true],
    ['is an information where the log knows no warnings', false],
  ])('%s', async (_, hasWarn) => {
    const root = makeRoot('a', 'b');
    const said: [level: string, message: string][] = [];
    const log = {
      info: (_fields: object, message: string) => void said.push(['info', message]),
      ...(hasWarn
        ? { warn: (_fields: object, message: string) => void said.push(['warn', message]) }
        : {}),
    };
    const homes = [homeOf(root, 'a'), homeOf(root, 'b')];
    const { until } = hearing(opened(homes, { log, link: false }));
    hold(root, 'bad deploy', { expiresAt: formatInstant(Date.now() + 300) });
    await until((change) => change.profile === 'a' && isLift(change));
    await until((change) => change.profile === 'b' && isLift(change));
    expect(said).toEqual([
      [
        hasWarn ? 'warn' : 'info',
        expect.stringMatching(
          /^the pause of the fleet by operator \(bad deploy\) expired at its deadline .*, nobody lifted it; /,
        ),
      ],
    ]);
  });

  test('is logged for each profile that has a copy of it', async () => {
    const root = makeRoot('a', 'b');
    const said: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void said.push(message) };
    const [a, b] = [homeOf(root, 'a'), homeOf(root, 'b')];
    hold(a, 'bad deploy', { expiresAt: formatInstant(Date.now() + 1_000) });
    copyFileSync(join(a, 'ESTOP'), join(b, 'ESTOP'));
    const { until } = hearing(opened([a, b], { log, link: false }));
    for (const name of ['a', 'b']) {
      await until((change) => change.profile === name && isLift(change));
    }
    expect(said.map((message) => message.slice(0, 14)).sort()).toEqual([
      'the pause of a',
      'the pause of b',
    ]);
  });

  test('is not one that somebody lifted', async () => {
    const root = makeRoot('a');
    const said: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void said.push(message) };
    hold(root, 'bad deploy', { expiresAt: formatInstant(Date.now() + 3_600_000) });
    const { until } = hearing(opened(homeOf(root, 'a'), { log }));
    liftAll(root);
    await until(isLift);
    expect(said).toEqual([]);
  });
});

describe('after a lift', () => {
  const profiles = Array.from({ length: 20 }, (_, at) => `lane-${at}`);

  test('catch-up work of many profiles is spread over the time that was asked for', async () => {
    const root = makeRoot(...profiles);
    hold(root, 'all');
    const gate = opened(
      profiles.map((name) => homeOf(root, name)),
      { instance: 'g1', resumeSpreadMs: 1_000 },
    );
    const { changes, until } = hearing(gate);
    liftAll(root);
    for (const name of profiles)
      await until(({ profile, engaged }) => profile === name && !engaged);
    const waits = changes.filter(({ engaged }) => !engaged).map((it) => it.resumeAfterMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeLessThan(1_000);
    expect(new Set(waits).size).toBeGreaterThan(15);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(500);
    // A late listener must not wait for a lift that is long past.
    expect(hearing(gate).changes.every(({ resumeAfterMs }) => resumeAfterMs === 0)).toBe(true);
  });

  test('the wait is the same for the same gateway and profile, and differs between gateways', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    hold(home, 'held');
    const heard = ['g1', 'g1', 'g2'].map((instance) => hearing(opened(home, { instance })));
    liftAll(home);
    const [one, same, other] = await Promise.all(heard.map(({ until }) => until(isLift)));
    expect(one?.resumeAfterMs).toBe(same?.resumeAfterMs);
    expect(one?.resumeAfterMs).not.toBe(other?.resumeAfterMs);
  });

  test('nobody waits where no spread is wanted', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    hold(home, 'held');
    const { changes, until } = hearing(opened(home, { resumeSpreadMs: 0 }));
    liftAll(home);
    await until(({ engaged }) => !engaged);
    expect(changes.map(({ resumeAfterMs }) => resumeAfterMs)).toEqual([0, 0]);
  });
});

describe('with a watcher', () => {
  test('it hears of doors as they come, of refusals, of work in hand, and what is in force', async () => {
    const root = makeRoot('a');
    const home = homeOf(root, 'a');
    const { untilAll } = await watching(root);
    const gate = opened(home, { instance: 'g1', software: 'sample/2.0' });
    gate.announce('kanban');
    const served = async (
      fits: (it: { doors: readonly string[]; refused: number; in_flight: number }) => boolean,
    ) => untilAll(['g1'], ({ profiles }) => profiles.some(fits));
    await served(({ doors }) => doors.join() === 'kanban');
    gate.admit({ door: 'turn' });
    gate.dispatch('cron');
    const [view] = await served(({ doors }) => doors.length === 3);
    expect(view).toMatchObject({ software: 'sample/2.0', pid: process.pid });
    const work = gate.begin({ door: 'kanban', id: 'card-1' });
    hold(home, 'held');
    expect(gate.admit({ door: 'turn' }).admitted).toBe(false);
    await served(({ refused, in_flight }) => refused === 1 && in_flight === 1);
    await untilAll(['g1'], ({ link }) => link === 'acknowledged');
    work?.end();
    await served(({ in_flight }) => in_flight === 0);
  });

  test('a listener has heard of a pause before the watcher hears that it is in force', async () => {
    const root = makeRoot('a');
    const { watcher } = await watching(root);
    const gate = opened(homeOf(root, 'a'), { instance: 'g1' });
    const { changes, until } = hearing(gate);
    const order: string[] = [];
    gate.onChange(({ engaged }) => void order.push(`heard ${engaged}`));
    watcher.store.subscribe(() => {
      const [view] = watcher.store.snapshot().gateways;
      if (view?.link === 'acknowledged' && changes.at(-1)?.engaged) order.push('in force');
    });
    hold(root, 'all');
    await until(({ engaged }) => engaged);
    while (!order.includes('in force')) await new Promise((resolve) => setImmediate(resolve));
    expect(order.indexOf('heard true')).toBeLessThan(order.indexOf('in force'));
  });

  test('a gate of two fleets has a link to each, and says of which', async () => {
    const [one, two] = [makeRoot('a'), makeRoot('b')];
    const [first, second] = [await watching(one), await watching(two)];
    const said: [string, LinkStatus['link']][] = [];
    const gate = opened([homeOf(one, 'a'), homeOf(two, 'b')], {
      instance: 'g1',
      onLink: ({ link }, root) => void said.push([root, link]),
    });
    const { until } = hearing(gate);
    await first.untilAll(['g1'], ({ link }) => link === 'acknowledged');
    await second.untilAll(['g1'], ({ link }) => link === 'acknowledged');
    expect([gate.link('a').link, gate.link('b').link, gate.link().link]).toEqual([
      'connected',
      'connected',
      'connected',
    ]);
    expect(said).toEqual(
      expect.arrayContaining([
        [one, 'connected'],
        [two, 'connected'],
      ]),
    );
    hold(two, 'the second');
    await until(({ profile, engaged }) => profile === 'b' && engaged);
    await first.watcher.close();
    while (gate.link('a').link === 'connected') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([gate.link('b').link, gate.link().link]).toEqual(['connected', 'connecting']);
    expect(gate.ask({ door: 'turn', profile: 'a' }).admitted).toBe(true);
  });

  test('a gate that wants no link is known to no watcher', async () => {
    const root = makeRoot('a');
    const { gateways, untilAll } = await watching(root);
    const silent = opened(homeOf(root, 'a'), { instance: 'silent', link: false });
    silent.announce('turn');
    opened(homeOf(root, 'a'), { instance: 'g1' });
    await untilAll(['g1'], ({ link }) => link === 'acknowledged');
    expect(gateways().map(({ instance }) => instance)).toEqual(['g1']);
    expect(silent.link()).toEqual({ link: 'closed' });
  });
});

test('a profile folder that is made anew is followed again', async () => {
  const root = makeRoot('a');
  const { until } = hearing(opened(homeOf(root, 'a'), { sweepMs: 50 }));
  rmSync(homeOf(root, 'a'), { recursive: true });
  mkdirSync(homeOf(root, 'a'));
  hold(homeOf(root, 'a'), 'made again');
  await until(({ scopes }) => reasonsOf(scopes).join() === 'made again');
});

const reasonsOf = (scopes: GateChange['scopes']) =>
  reasons({ profile: '', engaged: true, scopes }).map(String);
