/**
 * Without notices from the kernel, the sweep still sees changes, and the log says so.
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { limitsMissing, startWatcherProcess, startWithFewWatches } from '../support/process.ts';
import { disk, makeRoot } from '../support/watched.ts';

describe('a limit of watches', () => {
  beforeEach(({ skip }) => {
    if (limitsMissing !== undefined) skip(limitsMissing);
  });

  test('that is reached is said, and every profile is seen by the sweep', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `lane-${n}`);
    const root = makeRoot(...names);
    const watcher = startWithFewWatches(4, root, '--sweep', '1s');
    const deaf = await watcher.logged('folders cannot be observed');
    expect(deaf).toMatchObject({ level: 40, why: ['ENOSPC'] });
    expect(deaf['folders']).toBeGreaterThan(6);
    await watcher.logged('watching');
    for (const name of names) arm(disk, join(root, 'profiles', name), {});
    for (const name of names) {
      await watcher.logged('hold.armed', (line) => line['subject'] === `profile/${name}`);
    }
  });
});

test('notices that the kernel dropped cost one sweep, and are said to be missing', async ({
  skip,
}) => {
  const limit = '/proc/sys/fs/inotify/max_queued_events';
  if (process.platform !== 'linux') skip('only inotify has such a queue');
  const most = Number(readFileSync(limit, 'utf8'));
  const root = makeRoot('lane-a', 'lane-b');
  const watcher = startWatcherProcess(root, '--sweep', '1s');
  await watcher.logged('watching');
  // Whatever it looks at when it begins is behind it.
  arm(disk, join(root, 'profiles/lane-a'), {});
  await watcher.logged('hold.armed');
  watcher.signal('SIGSTOP');
  const busy = join(root, 'profiles/lane-a/file');
  for (let events = 0; events < 2 * most; events += 2) {
    writeFileSync(busy, '');
    unlinkSync(busy);
  }
  arm(disk, join(root, 'profiles/lane-b'), {});
  watcher.signal('SIGCONT');
  await watcher.logged('hold.armed', (line) => line['subject'] === 'profile/lane-b');
  expect(await watcher.logged('that no notice announced')).toMatchObject({
    level: 40,
    some: [join(root, 'profiles/lane-b')],
  });
});
