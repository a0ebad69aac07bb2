/** One process that serves all profiles of a host, more than one hello can name. */
import { expect, test } from 'vitest';
import { hold, homeOf, makeRoot } from '../support/fleets.ts';
import { namesOf, watcherProcess } from '../support/processes.ts';
import { opened } from './opened.ts';

const MANY = 700;

test('a gate of 700 homes is connected, and acknowledges for each of them', {
  timeout: 60_000,
}, async () => {
  const profiles = namesOf('a-lane-with-a-rather-long-name-', MANY);
  const root = makeRoot(...profiles);
  const watcher = await watcherProcess(root);
  const gate = opened(
    profiles.map((profile) => homeOf(root, profile)),
    { software: 'many/1' },
  );
  for (const door of ['turn', 'cron', 'cron-misfire', 'cron-webhook', 'kanban'])
    gate.announce(door);
  const isConnected = () => gate.link().link === 'connected';
  await expect.poll(isConnected).toBe(true);

  /** Profiles whose gateway has acknowledged a revision later than `after`. */
  const acknowledged = async (after: number) => {
    const gateways = await watcher.ask();
    const served = gateways.flatMap(({ link, profiles }) =>
      link === 'acknowledged' ? profiles : [],
    );
    return served.filter((profile) => (profile.acknowledged ?? -1) > after);
  };
  const all = async (after: number) => {
    await expect.poll(async () => (await acknowledged(after)).length).toBe(MANY);
    return acknowledged(after);
  };
  const before = Math.max(...(await all(-1)).map((profile) => profile.acknowledged ?? -1));
  hold(root, 'everything waits');
  const now = await all(before);
  expect(now.every(({ doors }) => doors.includes('kanban'))).toBe(true);
  expect(gate.admit({ door: 'turn', profile: profiles[MANY - 1] ?? '' }).admitted).toBe(false);
});
