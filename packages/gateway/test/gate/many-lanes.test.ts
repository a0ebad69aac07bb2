/**
 * One process that serves all profiles of a host, which may be more than one hello can name.
 */
import { expect, test } from 'vitest';
import { hold, homeOf, makeRoot } from '../support/fleets.ts';
import { namesOf, watcherProcess } from '../support/processes.ts';
import { opened } from './opened.ts';

const MANY = 700;

test('a gate of 700 homes is connected, and acknowledges for each of them', {
  timeout: 60_000,
}, async () => {
  const lanes = namesOf('a-lane-with-a-rather-long-name-', MANY);
  const root = makeRoot(...lanes);
  const watcher = await watcherProcess(root);
  const gate = opened(
    lanes.map((lane) => homeOf(root, lane)),
    { software: 'many/1' },
  );
  for (const door of ['turn', 'cron', 'cron-misfire', 'cron-webhook', 'kanban'])
    gate.announce(door);
  const isConnected = () => gate.link().link === 'connected';
  await expect.poll(isConnected, { timeout: 30_000 }).toBe(true);

  hold(root, 'everything waits');
  const served = async () => {
    const gateways = await watcher.ask();
    return gateways.flatMap(({ link, profiles }) => (link === 'acknowledged' ? profiles : []));
  };
  await expect.poll(async () => (await served()).length, { timeout: 30_000 }).toBe(MANY);
  const [first] = await served();
  expect(first?.doors).toContain('kanban');
  expect(gate.admit({ door: 'turn', profile: lanes[MANY - 1] ?? '' }).admitted).toBe(false);
});
