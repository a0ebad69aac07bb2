/**
 * Single observers: what one folder, replaced or written twice in a moment, must ring for. On a
 * file system that cannot tell two moments apart.
 */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { observeByNotices } from '../../src/observe/notices.ts';
import type { Folder, Ring, SentinelObserver } from '../../src/observe/observer.ts';
import { openPlainly } from '../../src/observe/plain-folder.ts';
import { observeByPolling } from '../../src/observe/poll.ts';
import { mountCoarse, needsMounts } from '../support/mounts.ts';
import { makeRoot } from '../support/watched.ts';

needsMounts();

function coarseFolder(): string {
  const dir = makeRoot();
  mountCoarse(dir);
  return dir;
}

const scopeAt = (dir: string): Folder => ({ dir, kind: 'scope', names: ['ESTOP', '.ESTOP.txn'] });

/** An observer whose rings can be waited for. */
function heard(make: (ring: Ring) => SentinelObserver) {
  const rings: (string | null)[] = [];
  let wake = () => {};
  const observer = make((_dir, name) => {
    rings.push(name);
    wake();
  });
  onTestFinished(() => observer.close());
  const until = async (name: string | null) => {
    while (!rings.includes(name)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { observer, rings, until };
}

test('a folder that is made again with the same number in the same moment is another one', async () => {
  const { observer, rings, until } = heard((ring) => observeByNotices(openPlainly, ring));
  const dir = join(coarseFolder(), 'scope');
  for (let round = 0; round < 10; round++) {
    mkdirSync(dir);
    observer.watch([scopeAt(dir)]);
    rmdirSync(dir);
    mkdirSync(dir);
    await until(null);
    observer.watch([scopeAt(dir)]);
    rings.length = 0;
    writeFileSync(join(dir, 'ESTOP'), '');
    await until('ESTOP');
    rmSync(dir, { recursive: true });
    observer.watch([]);
    rings.length = 0;
  }
});

test('polling rings for what was written in the same moment as it looked', async () => {
  const { observer, rings, until } = heard((ring) => observeByPolling(ring, { intervalMs: 10 }));
  const dir = coarseFolder();
  observer.watch([scopeAt(dir)]);
  for (let round = 0; round < 20; round++) {
    writeFileSync(join(dir, 'ESTOP'), 'one');
    observer.looking('all');
    writeFileSync(join(dir, 'ESTOP'), 'two');
    rings.length = 0;
    await until('ESTOP');
    rmSync(join(dir, 'ESTOP'));
    observer.looking('all');
  }
});

test('polling that has nothing new to say falls silent', async () => {
  const { observer, rings, until } = heard((ring) => observeByPolling(ring, { intervalMs: 5 }));
  const dir = makeRoot();
  observer.watch([scopeAt(dir)]);
  writeFileSync(join(dir, 'ESTOP'), 'one');
  rings.length = 0;
  await until('ESTOP');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(rings.length).toBeLessThanOrEqual(4);
});

test('polling rings for what was written after a poll that came right upon a look', async () => {
  const intervalMs = 300;
  const { observer, rings, until } = heard((ring) => observeByPolling(ring, { intervalMs }));
  const dir = coarseFolder();
  observer.watch([scopeAt(dir)]);
  for (let round = 0; round < 3; round++) {
    writeFileSync(join(dir, 'ESTOP'), 'one');
    observer.looking('all');
    // The first is for what that look saw. Within one tick nothing tells the second write from it.
    rings.length = 0;
    await until('ESTOP');
    writeFileSync(join(dir, 'ESTOP'), 'two');
    rings.length = 0;
    await until('ESTOP');
    rmSync(join(dir, 'ESTOP'));
    observer.looking('all');
  }
});
