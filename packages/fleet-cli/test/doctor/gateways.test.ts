/**
 * What `fleet doctor` says of gateways that should be there, as the watcher knows them.
 */
import { expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startGateway, untilGateway } from '../support/gateways.ts';
import { startWatcher } from '../support/watcher.ts';
import { examine, expectGateway, profileOf } from './fleets.ts';

it('that are connected are in order; one that is silent, or gone while expected, is not', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  expectGateway(fleet, 'lane-a');
  await startWatcher(fleet.root);
  expect(examine(fleet).found('watcher')).toMatchObject([
    {
      level: 'problem',
      where: profileOf(fleet, 'lane-a'),
      what: 'a gateway is expected in lane-a, and none is connected',
    },
  ]);
  const first = await startGateway(fleet.root, 'first', ['lane-a', 'lane-b']);
  const sound = examine(fleet);
  expect([sound.code, sound.found('watcher')]).toEqual([0, []]);

  first.signal('SIGSTOP');
  await untilGateway(fleet.root, 'first', ({ link }) => link === 'stale');
  const silent = examine(fleet);
  expect(silent.code).toBe(0);
  expect(silent.found('watcher')).toMatchObject([
    {
      level: 'warning',
      what: expect.stringMatching(/^sample\/1\.0, process \d+ .+ on lane-a, lane-b is old$/),
    },
  ]);

  await first.killed();
  await untilGateway(fleet.root, 'first', ({ link }) => link === 'gone');
  const gone = examine(fleet);
  expect(gone.code).toBe(1);
  expect(gone.found('watcher')).toMatchObject([
    {
      level: 'problem',
      what: `a gateway is expected in lane-a, and none is connected; sample/1.0, process ${first.pid} is gone`,
    },
  ]);
  expectGateway(fleet, 'lane-a', false);
  expect(examine(fleet).found('watcher')).toEqual([]);
});
