/**
 * Single observers: what one folder that is replaced, or written twice in a moment, must notify of,
 * on a file system that cannot tell two moments apart.
 */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ChangeNotifier,
  type Notify,
  notifyByNotices,
  openPlainly,
  type WatchedFolder,
} from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { notifyByPolling } from '../../src/observe/poll.ts';
import { mountCoarse, needsMounts } from '../support/mounts.ts';
import { makeRoot } from '../support/watched.ts';

needsMounts();

function coarseFolder(): string {
  const dir = makeRoot();
  mountCoarse(dir);
  return dir;
}

const scopeAt = (dir: string): WatchedFolder => ({
  dir,
  kind: 'scope',
  names: ['ESTOP', '.ESTOP.txn'],
});

/** An observer whose notifications can be waited for. */
function heard(make: (notify: Notify) => ChangeNotifier) {
  const notified: (string | null)[] = [];
  let wake = () => {};
  const observer = make((_dir, name) => {
    notified.push(name);
    wake();
  });
  onTestFinished(() => observer.close());
  const until = async (name: string | null) => {
    while (!notified.includes(name)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { observer, notified, until };
}

test('a folder that is made again with the same number in the same moment is another one', async () => {
  const { observer, notified, until } = heard((notify) => notifyByNotices(openPlainly, notify));
  const dir = join(coarseFolder(), 'scope');
  for (let round = 0; round < 10; round++) {
    mkdirSync(dir);
    observer.watch([scopeAt(dir)]);
    rmdirSync(dir);
    mkdirSync(dir);
    await until(null);
    observer.watch([scopeAt(dir)]);
    notified.length = 0;
    writeFileSync(join(dir, 'ESTOP'), '');
    await until('ESTOP');
    rmSync(dir, { recursive: true });
    observer.watch([]);
    notified.length = 0;
  }
});

test('polling notifies of what was written in the same moment as it looked', async () => {
  const { observer, notified, until } = heard((notify) =>
    notifyByPolling(notify, { intervalMs: 10 }),
  );
  const dir = coarseFolder();
  observer.watch([scopeAt(dir)]);
  for (let round = 0; round < 20; round++) {
    writeFileSync(join(dir, 'ESTOP'), 'one');
    observer.looking('all');
    writeFileSync(join(dir, 'ESTOP'), 'two');
    notified.length = 0;
    await until('ESTOP');
    rmSync(join(dir, 'ESTOP'));
    observer.looking('all');
  }
});

test('polling that has nothing new to say falls silent', async () => {
  const { observer, notified, until } = heard((notify) =>
    notifyByPolling(notify, { intervalMs: 5 }),
  );
  const dir = makeRoot();
  observer.watch([scopeAt(dir)]);
  writeFileSync(join(dir, 'ESTOP'), 'one');
  notified.length = 0;
  await until('ESTOP');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(notified.length).toBeLessThanOrEqual(4);
});

test('polling notifies of what was written after a poll that came right upon a look', async () => {
  const intervalMs = 300;
  const { observer, notified, until } = heard((notify) => notifyByPolling(notify, { intervalMs }));
  const dir = coarseFolder();
  observer.watch([scopeAt(dir)]);
  for (let round = 0; round < 3; round++) {
    writeFileSync(join(dir, 'ESTOP'), 'one');
    observer.looking('all');
    // The first is for what that look saw. Within one tick nothing tells the second write from it.
    notified.length = 0;
    await until('ESTOP');
    writeFileSync(join(dir, 'ESTOP'), 'two');
    notified.length = 0;
    await until('ESTOP');
    rmSync(join(dir, 'ESTOP'));
    observer.looking('all');
  }
});
