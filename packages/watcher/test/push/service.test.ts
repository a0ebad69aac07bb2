/**
 * The push service in a whole watcher, on a real fleet.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { arm, lift } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { startWatcher, type Watcher } from '../../src/daemon.ts';
import { pushService } from '../../src/push/service.ts';
import { greeted } from '../support/push.ts';
import { disk, listeningLog, makeRoot, NEVER_MS } from '../support/watched.ts';

async function started(
  ...lanes: string[]
): Promise<{ root: string; path: string; watcher: Watcher }> {
  const root = makeRoot(...lanes);
  const start = await startWatcher({
    root,
    log: listeningLog([]),
    observe: 'native',
    sweepMs: NEVER_MS,
    services: [pushService],
  });
  if (!start.started) throw new Error('somebody watches a folder that was made just now');
  onTestFinished(() => start.watcher.close());
  return { root, path: join(root, '.fleet/watcher.sock'), watcher: start.watcher };
}

test('a hold on disk is pushed to the gateways of its profile, and to no other', async () => {
  const { root, path } = await started('lane-a', 'lane-b');
  const a = await greeted({ path }, 'a', ['lane-a']);
  const b = await greeted({ path }, 'b', ['lane-b']);
  await a.state('lane-a');
  await b.state('lane-b');
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'fan-out' });
  const state = await a.state('lane-a', ({ engaged }) => engaged);
  expect(state.holds).toMatchObject([{ scope: 'profile', holder: 'operator', reason: 'fan-out' }]);
  lift(disk, join(root, 'profiles/lane-a'), { everyone: true });
  await a.state('lane-a', ({ engaged }) => !engaged);
  expect(b.states('lane-b')).toHaveLength(1);
});

test('a root hold is pushed to every profile, and to the gateway of the root itself', async () => {
  const { root, path, watcher } = await started('lane-a');
  const gateway = await greeted({ path }, 'g', ['lane-a', 'default']);
  await gateway.state('default', ({ engaged }) => !engaged);
  arm(disk, root, { reason: 'all of it' });
  for (const lane of ['lane-a', 'default']) {
    const state = await gateway.state(lane, ({ engaged }) => engaged);
    expect(state.holds).toMatchObject([{ scope: 'root', reason: 'all of it' }]);
  }
  expect(watcher.store.snapshot().fleet.profiles.map(({ name }) => name)).toContain('default');
});

test('the profile of the root is listed as long as a gateway serves it', async () => {
  const { path, watcher } = await started('lane-a');
  const listed = () => watcher.store.snapshot().fleet.profiles.map(({ name }) => name);
  expect(listed()).toEqual(['lane-a']);
  const changed = (fits: () => boolean) =>
    new Promise<void>((resolve) => {
      const unsubscribe = watcher.store.subscribe(() => {
        if (!fits()) return;
        unsubscribe();
        resolve();
      });
    });
  const comes = changed(() => listed().includes('default'));
  const gateway = await greeted({ path }, 'g', ['default']);
  await comes;
  await gateway.state('default');
  const goes = changed(() => !listed().includes('default'));
  gateway.socket.destroy();
  await goes;
  expect(listed()).toEqual(['lane-a']);
});

test('a gateway that comes before its profile is sent its state when it is made, held or not', async () => {
  const { root, path } = await started('lane-a');
  const gateway = await greeted({ path }, 'g', ['late']);
  const first = await gateway.state('late');
  expect(first).toMatchObject({ engaged: false, holds: [] });
  const home = join(root, 'profiles/late');
  mkdirSync(home);
  arm(disk, home, { reason: 'not yet' });
  const state = await gateway.state('late', ({ engaged }) => engaged);
  expect(state.holds).toMatchObject([{ scope: 'profile', reason: 'not yet' }]);
  expect(state.revision).toBeGreaterThan(first.revision);
});

test('a watcher that stops says goodbye to its gateways', async () => {
  const { path, watcher } = await started('lane-a');
  const gateway = await greeted({ path }, 'g', ['lane-a']);
  await gateway.state('lane-a');
  await watcher.close();
  expect(await gateway.refused()).toMatchObject({ code: 'closing' });
  await gateway.closed;
});
