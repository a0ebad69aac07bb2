/**
 * A watcher that is killed repeatedly in a storm: gateways stay as held as the disk says, nothing
 * on disk is lost, and readers learn about gaps.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { arm, check } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { gatewaysElsewhere } from '../support/gateways-elsewhere.ts';
import { startWatcherProcess } from '../support/process.ts';
import { type EventStream, openStream } from '../support/served.ts';
import { namesOf, stormOf, stormRoot, stormWriter } from '../support/storm.ts';
import { isHeldAfter } from '../support/storm-order.ts';
import { disk } from '../support/watched.ts';

const LANES = namesOf('lane-', 8);
const GATEWAYS = 20;
const KILLS = stormOf(3, 20);

/** Nobody touches the hold in the one; what is put into the other is over already. */
const [KEPT, OVER] = ['kept', 'over'];

test(`after ${KILLS} kills in a storm gateways are as held as the disk says, and the next run is right`, {
  timeout: 120_000,
}, async () => {
  const root = stormRoot(...LANES, KEPT, OVER);
  const homeOf = (name: string) => join(root, 'profiles', name);
  const kept = arm(disk, homeOf(KEPT), { reason: 'stands throughout', holder: 'nobody here' });
  const order = await stormWriter(root, LANES);
  const gateways = await gatewaysElsewhere(root, GATEWAYS, LANES);
  const socketPath = join(root, '.fleet/http.sock');

  let round = 0;
  const toggle = () => order({ does: 'toggle', round });
  const expireOne = () => {
    const draft = join(homeOf(OVER), 'draft');
    writeFileSync(draft, '{"expires_at":"2020-01-01T00:00:00+00:00"}');
    renameSync(draft, join(homeOf(OVER), 'ESTOP'));
  };
  const wanted = () => LANES.map((_lane, at) => isHeldAfter(round, at));
  const untilGatewaysAreRight = () =>
    gateways.untilAll(({ profiles }) => profiles.every((held, at) => held === wanted()[at]));
  const expectTheDiskToBeRight = () => {
    const found = LANES.map((name) => check(disk, homeOf(name)));
    expect(found.map(({ engaged }) => engaged)).toEqual(wanted());
    const reasons = found.flatMap((it) => (it.engaged ? it.holds.map(({ reason }) => reason) : []));
    expect(new Set(reasons)).toEqual(new Set([String(round)]));
    const standing = check(disk, homeOf(KEPT));
    expect(standing.engaged && standing.holds.map(({ id }) => id)).toEqual([
      kept.armed ? kept.id : '',
    ]);
  };

  const epochs = new Set<string>();
  let lastId: string | null = null;
  for (let kill = 0; kill < KILLS; kill++) {
    const watcher = startWatcherProcess(root, '--no-http');
    const { epoch } = await watcher.logged('watching');
    epochs.add(epoch);
    const stream: EventStream = await openStream({
      socketPath,
      path: '/v1/events',
      headers: lastId === null ? {} : { 'last-event-id': lastId },
    });
    const snapshot = await stream.until(({ event }) => event === 'snapshot');
    expect(stream.messages.slice(0, 2).map(({ event }) => event)).toEqual(
      lastId === null ? ['snapshot', expect.anything()] : ['gap', 'snapshot'],
    );
    if (lastId !== null) {
      expect(stream.messages[0]?.data).toMatchObject({ epoch, after: lastId, why: 'another-run' });
      const { profiles } = snapshot.data;
      const engaged = new Map(
        profiles.map((it: { name: string; engaged: boolean }) => [it.name, it.engaged]),
      );
      expect(LANES.map((name) => engaged.get(name))).toEqual(wanted());
    }
    await gateways.untilAll(({ link }) => link.link === 'connected' && link.epoch === epoch);

    for (let calm = 0; calm < 3; calm++) {
      round += 1;
      expireOne();
      await toggle();
    }
    await untilGatewaysAreRight();
    round += 1;
    expireOne();
    const storm = toggle();
    await delay(2 * kill);
    watcher.signal('SIGKILL');
    await storm;
    expect(await watcher.ended).toBe('SIGKILL');
    await stream.ended;
    lastId = stream.messages.findLast(({ id }) => id !== null)?.id ?? null;

    await untilGatewaysAreRight();
    expectTheDiskToBeRight();
    // With no watcher at all.
    round += 1;
    await toggle();
    await untilGatewaysAreRight();
    expectTheDiskToBeRight();
  }
  expect(epochs.size).toBe(KILLS);

  const last = startWatcherProcess(root, '--no-http');
  const { epoch } = await last.logged('watching');
  await gateways.untilAll(({ link }) => link.link === 'connected' && link.epoch === epoch);
  while (existsSync(join(homeOf(OVER), 'ESTOP'))) await delay(10);
  expectTheDiskToBeRight();
});
