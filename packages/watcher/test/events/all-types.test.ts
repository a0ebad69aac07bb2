/**
 * Every event type, caused for real, as a webhook's receiver gets it.
 */
import { mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginRestart, type RestartRecord } from '@fleet-estop/ledger';
import { EVENT_TYPES, type EventType } from '@fleet-estop/protocol';
import {
  appendJournal,
  arm,
  formatInstant,
  lift,
  markOf,
  type ProcessMark,
} from '@fleet-estop/sentinel-core';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { ServiceContext } from '../../src/daemon.ts';
import { pushService } from '../../src/push/service.ts';
import { hooked } from '../support/hooked.ts';
import { helloOf, rawGateway } from '../support/push.ts';
import { receiver } from '../support/receiver.ts';
import { clockedDisk, disk } from '../support/watched.ts';
import { faultsOf } from './judge.ts';

/** As the daemon's, with a heart that beats fast enough for a test. */
const quickPush = (context: ServiceContext) =>
  pushService({ ...context, ...{ heartbeatMs: 30, staleAfterMs: 150, dropAfterMs: 60_000 } });

test('each of the seventeen is what the shipped schema and CloudEvents 1.0 say', async () => {
  const hook = await receiver();
  const clocked = clockedDisk();
  const prepare = { services: [quickPush], disk: clocked, sweepMs: 500 };
  const { root, secret, store } = await hooked([{ url: hook.url }], {}, prepare);
  const home = join(root, 'profiles/lane-a');
  const sentinel = join(home, 'ESTOP');
  const came = (type: EventType, after = 0) =>
    hook.until((posts) => posts.slice(after).find(({ event }) => event.type === type));
  const actor = { user: 'someone', host: 'h', pid: 1, via: 'fleet resume' };

  arm(disk, home, { reason: 'look at it', allow: { userIds: ['someone@example.org'] } });
  await came('profile.paused');
  arm(disk, home, { reason: 'still' });
  await came('hold.rearmed');
  const lifted = lift(disk, home, { everyone: true });
  if (!lifted.lifted) throw new Error('not lifted');
  appendJournal(root, { event: 'lift', scope: home, holds: lifted.holds, generation: null, actor });
  await came('hold.lifted');
  await came('profile.running');

  arm(disk, home, { expiresAt: formatInstant(Date.now() + 300) });
  await came('hold.expired');
  let before = hook.posts.length;
  arm(disk, home, { reason: 'gone without a word' });
  await came('hold.armed', before);
  unlinkSync(sentinel);
  await came('hold.cleared-externally');
  writeFileSync(sentinel, '{ torn');
  await came('hold.unreadable');

  mkdirSync(join(root, 'profiles/lane-c'));
  await came('profile.added');
  rmSync(join(root, 'profiles/lane-c'), { recursive: true });
  await came('profile.removed');

  const gateway = await rawGateway(join(root, '.fleet/watcher.sock'));
  gateway.say(helloOf('i', ['lane-a']));
  await came('gateway.connected');
  gateway.ack(await gateway.state('lane-a'));
  await came('gateway.acknowledged');
  await came('gateway.stale');
  before = hook.posts.length;
  gateway.ack(await gateway.state('lane-a'));
  // Heard again, which is another form of the same event.
  await came('gateway.connected', before);
  gateway.socket.destroy();
  await came('gateway.gone');

  // A restart that died before it restarted anything.
  const mark = { ...(markOf() as ProcessMark), birth: '1' };
  const record: RestartRecord = {
    ...{ id: 'r-1', holder: 'restart-h-1', hold: null, mark, oldInstances: [], reason: null },
    step: 'draining',
    since: formatInstant(Date.now()),
  };
  expect(beginRestart(join(root, 'profiles/lane-a'), record)).toBe('');
  await came('restart.settled');

  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: nope\n');
  await came('config.rejected');

  // Where no clock of the boot is known, nobody can tell.
  clocked.setByMs = 3_600_000;
  if (disk.uptime() !== null) await came('clock.stepped');

  const types = new Set(hook.posts.map(({ event }) => event.type));
  const told = EVENT_TYPES.filter((type) => type !== 'clock.stepped' || disk.uptime() !== null);
  expect([...types].sort()).toEqual([...told].sort());
  for (const { event, body, headers } of hook.posts) {
    expect([event.type, faultsOf(event)]).toEqual([event.type, []]);
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
    expect(event.epoch).toBe(store.snapshot().epoch);
    expect(body).not.toContain('someone@example.org');
  }
  const revisions = hook.posts.map(({ event }) => event.revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
});
