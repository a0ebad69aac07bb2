/**
 * When to look again: sweeps, deadlines, and reports where notices fail.
 */
import { appendFileSync, mkdirSync, rmdirSync, watch as watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  arm,
  type LookResult,
  type LookScope,
  type WatchedFolder,
} from '@fleet-estop/sentinel-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chooseNotifier, silentFileSystem } from '../../src/observe/choose.ts';
import { type Scheduler, startScheduler } from '../../src/observe/scheduler.ts';
import { mountOverlay, needsMounts } from '../support/mounts.ts';
import {
  disk,
  laneFree,
  laneHeld,
  makeRoot,
  NEVER_MS,
  reasonIn,
  watched,
} from '../support/watched.ts';

const scopeAt = (dir: string): WatchedFolder => ({
  dir,
  kind: 'scope',
  names: ['ESTOP', '.ESTOP.txn'],
});

/** A scheduler whose looks are only counted. */
function counted(result: () => Partial<LookResult>, sweepMs: number) {
  const lookScopes: LookScope[] = [];
  const missed: string[] = [];
  const sweptAtMs: number[] = [];
  let wake = () => {};
  const scheduler: Scheduler = startScheduler(
    (lookScope) => {
      lookScopes.push(lookScope);
      setImmediate(() => wake());
      return { folders: [], deadlineMs: null, changed: [], ...result() };
    },
    {
      mode: 'native',
      sweepMs,
      journal: () => {},
      swept(unannounced) {
        missed.push(...unannounced);
        sweptAtMs.push(performance.now());
        setImmediate(() => wake());
      },
    },
  );
  onTestFinished(() => scheduler.close());
  const until = async (fits: () => boolean) => {
    while (!fits()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { scheduler, lookScopes, missed, sweptAtMs, until };
}

test('notifications without end do not keep it looking at everything, and a folder is looked at in the end', async () => {
  const LOOK_MS = 20;
  const { scheduler, lookScopes, until } = counted(() => {
    const beganMs = performance.now();
    while (performance.now() - beganMs < LOOK_MS);
    return {};
  }, NEVER_MS);
  const all = () => lookScopes.filter((lookScope) => lookScope === 'all').length;
  const before = all();
  const beganMs = performance.now();
  const notifying = setInterval(() => scheduler.lookAgain('all'), 1);
  onTestFinished(() => clearInterval(notifying));
  await until(() => all() === before + 5);
  // Each is followed by a rest of three times its length.
  expect(performance.now() - beganMs).toBeGreaterThan(5 * 3 * LOOK_MS);
  scheduler.lookAgain(new Set(['/lane']));
  const heard = () => lookScopes.some((lookScope) => lookScope !== 'all' && lookScope.has('/lane'));
  await until(heard);
  clearInterval(notifying);
  scheduler.lookAgain('all');
  const seen = all();
  await until(() => all() > seen);
});

test('notifications without end delay no sweep and cause no more of them', async () => {
  const SWEEP_MS = 200;
  const { scheduler, sweptAtMs, until } = counted(() => ({}), SWEEP_MS);
  const notifying = setInterval(() => scheduler.lookAgain('all'), 5);
  onTestFinished(() => clearInterval(notifying));
  const beganMs = performance.now();
  await until(() => sweptAtMs.length === 4);
  expect(performance.now() - beganMs).toBeGreaterThan(3 * SWEEP_MS);
});

test('in another mode nothing goes unnoticed, also where it has only just looked', async () => {
  const LOOK_MS = 400;
  const dir = makeRoot();
  let looks = 0;
  const { scheduler, lookScopes, until } = counted(() => {
    const beganMs = performance.now();
    while (looks === 0 && performance.now() - beganMs < LOOK_MS);
    looks += 1;
    return { folders: [scopeAt(dir)] };
  }, NEVER_MS);
  const beganMs = performance.now();
  scheduler.use({ mode: 'poll', sweepMs: NEVER_MS });
  await until(() => lookScopes.filter((lookScope) => lookScope === 'all').length === 2);
  // The first look wants a rest of more than a second.
  expect(performance.now() - beganMs).toBeLessThan(900);
});

test('it looks at once, before it returns', () => {
  const { lookScopes } = counted(() => ({}), NEVER_MS);
  expect(lookScopes).toEqual(['all']);
});

test('everything is looked at again after a sweep, though nothing was noticed', async () => {
  const { lookScopes, until, scheduler } = counted(() => ({}), 20);
  await until(() => lookScopes.length >= 4);
  expect(new Set(lookScopes)).toEqual(new Set(['all']));
  expect(scheduler.health().sweepAgeMs).toBeLessThan(10_000);
});

test('a deadline far beyond what a timer can wait for neither fires early nor spins', async () => {
  const far = Date.now() + 2 ** 40;
  const { lookScopes, until } = counted(() => ({ deadlineMs: far }), 100);
  const begun = performance.now();
  await until(() => lookScopes.length >= 3);
  expect(performance.now() - begun).toBeGreaterThan(150);
});

test('a deadline that is over already is looked at, and does not spin', async () => {
  let looks = 0;
  const { until, lookScopes } = counted(() => ({ deadlineMs: looks++ === 0 ? 1 : null }), NEVER_MS);
  await until(() => lookScopes.length === 2);
});

test('many notifications at once are one look', async () => {
  const dir = makeRoot();
  const { lookScopes, until } = counted(() => ({ folders: [scopeAt(dir)] }), NEVER_MS);
  await until(() => lookScopes.length >= 2);
  const before = lookScopes.length;
  for (let n = 0; n < 50; n++) writeFileSync(join(dir, 'ESTOP'), String(n));
  await until(() => lookScopes.length > before);
  expect(lookScopes.length - before).toBeLessThan(10);
  expect(lookScopes.at(-1)).toEqual(new Set([dir]));
});

test('a busy folder notifies nobody', async () => {
  const dir = makeRoot();
  const { lookScopes, until } = counted(() => ({ folders: [scopeAt(dir)] }), NEVER_MS);
  await until(() => lookScopes.length >= 2);
  const before = lookScopes.length;
  const appended = new Promise<void>((resolve) => {
    const own = watchFile(dir, (_event, name) => {
      if (name === 'last') resolve();
    });
    onTestFinished(() => own.close());
  });
  for (let n = 0; n < 200; n++) appendFileSync(join(dir, 'log'), 'line\n');
  writeFileSync(join(dir, 'last'), '');
  await appended;
  await new Promise(setImmediate);
  expect(lookScopes.length).toBe(before);
});

test('what the sweep finds and no notice announced is counted and named', async () => {
  let changed: string[] = [];
  const { missed, until, scheduler } = counted(() => ({ changed }), 20);
  changed = ['/somewhere'];
  await until(() => missed.length > 0);
  expect(missed[0]).toBe('/somewhere');
  expect(scheduler.health().unannounced).toBeGreaterThan(0);
});

test('nothing is called unannounced while notices come', async () => {
  const root = makeRoot('lane-a');
  const { until, watch } = watched(root, { sweepMs: 20 });
  for (let n = 0; n < 20; n++) {
    arm(disk, join(root, 'profiles/lane-a'), { reason: String(n) });
    await until((fleet) => fleet.profiles[0]?.own?.holds[0]?.reason === String(n));
  }
  expect(watch.health().unannounced).toBe(0);
});

test('a scope under somebody’s hands is looked at again soon, however busy another profile is', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  const tenure = join(root, 'profiles/lane-a/.ESTOP.txn');
  // More of them than any look follows, and what becomes of them notifies nobody.
  const tokens = Array.from({ length: 40 }, (_, at) => join(tenure, `left-${at}`));
  for (const token of tokens) mkdirSync(token, { recursive: true });
  const { until } = watched(root);
  await until(laneHeld('lane-a'));
  const busy = join(root, 'profiles/lane-b/ESTOP');
  const writing = setInterval(() => writeFileSync(busy, String(performance.now())), 20);
  onTestFinished(() => clearInterval(writing));
  await until(laneHeld('lane-b'));
  for (const token of tokens) rmdirSync(token);
  await until(laneFree('lane-a'));
});

test('a folder that cannot be watched is named with the reason, and seen by the sweep', async () => {
  const root = makeRoot('lane-a');
  const dir = join(root, 'x'.repeat(300));
  const observer = chooseNotifier('native', () => {});
  onTestFinished(() => observer.close());
  observer.watch([scopeAt(dir)]);
  expect([...observer.deaf]).toEqual([[dir, 'ENAMETOOLONG']]);
  observer.watch([scopeAt(root)]);
  expect([...observer.deaf]).toEqual([]);
});

test('a mode can be changed while it watches, and nothing is lost', async () => {
  const root = makeRoot('lane-a');
  const { until, watch } = watched(root);
  const modes = ['poll', 'chokidar', 'auto', 'native'] as const;
  for (const mode of modes) {
    watch.use({ mode, sweepMs: NEVER_MS });
    arm(disk, join(root, 'profiles/lane-a'), { reason: mode });
    await until((fleet) => fleet.profiles[0]?.own?.holds[0]?.reason === mode);
    expect(watch.health().mode).toBe(mode);
  }
});

describe('file systems without notices', () => {
  test('what this host alone can change is not one of them, nor what is not there', () => {
    for (const dir of ['/proc', '/dev/shm', '/none']) expect(silentFileSystem(dir)).toBeNull();
  });

  test('there, auto polls beside its notices, and calls nothing deaf', async () => {
    const root = makeRoot('lane-a');
    let asked = 0;
    const { until, watch } = watched(root, {
      mode: 'auto',
      findSilentFileSystem: () => {
        asked += 1;
        return 'nfs';
      },
    });
    expect(asked).toBeGreaterThan(0);
    mkdirSync(join(root, 'profiles/lane-b'));
    writeFileSync(join(root, 'profiles/lane-b/ESTOP'), '');
    await until(laneHeld('lane-b'));
    expect([...watch.health().deaf]).toEqual([]);
  });

  describe('a union mount', () => {
    needsMounts();

    test('is known as one, and what is written below it is seen without a notice', async () => {
      const root = makeRoot();
      const [home, lower] = [join(root, 'profiles/lane-a'), makeRoot()];
      mkdirSync(home, { recursive: true });
      writeFileSync(join(lower, 'ESTOP'), '{"reason":"one"}');
      mountOverlay(home, lower, makeRoot(), makeRoot());
      expect(silentFileSystem(home)).toBe('overlay');
      const { until, untilQuiet } = watched(root, { mode: 'auto' });
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'one');
      await untilQuiet();
      writeFileSync(join(lower, 'ESTOP'), '{"reason":"two"}');
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'two');
      writeFileSync(join(home, 'ESTOP'), '{"reason":"three"}');
      await until((fleet) => reasonIn(fleet, 'lane-a') === 'three');
    });
  });
});
