/**
 * What Prometheus gets, and what it never gets.
 */
import { join } from 'node:path';
import type { GatewayView } from '@fleet-estop/protocol';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { served } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

const AT = '2026-11-29T17:00:00.000+00:00';
const gateway = (link: 'connected' | 'stale', refused: number, profile = 'lane-a') => ({
  instance: `of ${profile}`,
  pid: 7,
  software: 's',
  link,
  connected_at: AT,
  last_seen_at: AT,
  gone_at: null,
  profiles: [
    { name: profile, doors: [], in_flight: 0, refused, acknowledged: null, acknowledged_at: null },
  ],
});

const sampleOf = (text: string, series: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);

test('refusals of a gateway that connects again are counted once', async () => {
  const fleet = await served(makeRoot('lane-a'));
  const { store } = fleet.watcher;
  for (const refused of [3, 0, 3, 4]) store.setGateways([gateway('connected', refused)]);
  const { text } = await fleet.ask('/metrics');
  expect(sampleOf(text, 'fleet_refusals_total{profile="lane-a"}')).toBe('4');
});

test('profiles, holds, gateways, refusals, acknowledgements and the sweep have metrics', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-a'), {});
  const fleet = await served(root);
  const { store } = fleet.watcher;
  store.setGateways([gateway('stale', 3), gateway('connected', 1, 'nobody')]);
  store.setGateways([gateway('stale', 5), gateway('connected', 1, 'nobody')]);
  store.record('gateway.acknowledged', 'gateway/i', { latency_ms: 4 });
  const stream = await fleet.stream();
  await stream.until(({ event }) => event === 'snapshot');
  const { text, headers } = await fleet.ask('/metrics');
  expect(headers['content-type']).toContain('text/plain; version=0.0.4');
  for (const [series, value] of [
    ['fleet_profile_paused{profile="lane-a"}', '1'],
    ['fleet_profile_paused{profile="lane-b"}', '0'],
    ['fleet_scope_holds{kind="profile"}', '1'],
    ['fleet_scope_holds{kind="root"}', '0'],
    ['fleet_gateways{link="stale"}', '1'],
    ['fleet_gateways{link="connected"}', '1'],
    ['fleet_gateways{link="gone"}', '0'],
    ['fleet_profile_unacknowledged_gateways{profile="lane-a"}', '1'],
    ['fleet_profiles_without_gateway', '1'],
    ['fleet_refusals_total{profile="lane-a"}', '5'],
    ['fleet_refusals_total{profile="other"}', '1'],
    ['fleet_acknowledgement_seconds_bucket{le="0.0025"}', '0'],
    ['fleet_acknowledgement_seconds_bucket{le="0.005"}', '1'],
    ['fleet_events_total{type="gateway.acknowledged"}', '1'],
    ['fleet_events_total{type="hold.lifted"}', '0'],
    ['fleet_stream_readers', '1'],
    ['fleet_rejected_settings', '0'],
  ] as const) {
    expect([series, sampleOf(text, series)]).toEqual([series, value]);
  }
  expect(Number(sampleOf(text, 'fleet_hold_age_seconds{profile="lane-a"}'))).toBeLessThan(60);
  expect(Number(sampleOf(text, 'fleet_sweep_age_seconds'))).toBeLessThan(60);
});

test('no text of a hold and no name of a gateway is a label', async () => {
  const root = makeRoot('lane-a');
  arm(disk, root, { holder: 'HOLDER-TEXT', reason: 'REASON-TEXT' });
  const fleet = await served(root);
  fleet.watcher.store.setGateways([gateway('connected', 1, 'MADE-UP')]);
  const { text } = await fleet.ask('/metrics');
  expect(text).not.toMatch(/HOLDER-TEXT|REASON-TEXT|MADE-UP/);
});

test('work in hand is what is reported of those that are heard, and nobody claims 0 for the rest', async () => {
  const fleet = await served(makeRoot('lane-a', 'lane-b', 'lane-c'));
  const busy = (
    instance: string,
    link: GatewayView['link'],
    profile: string,
    in_flight: number,
  ) => {
    const [served] = gateway('connected', 0, profile).profiles;
    if (served === undefined) throw new Error('none');
    return { ...gateway('connected', 0), instance, link, profiles: [{ ...served, in_flight }] };
  };
  fleet.watcher.store.setGateways([
    busy('one', 'acknowledged', 'lane-a', 2),
    busy('two', 'stale', 'lane-a', 1),
    busy('three', 'gone', 'lane-b', 4),
    busy('four', 'connected', 'nobody', 5),
  ]);
  await fleet.ask('/metrics');
  const { text } = await fleet.ask('/metrics');
  const series = (profile: string) => sampleOf(text, `fleet_work_in_hand{profile="${profile}"}`);
  expect(['lane-a', 'lane-b', 'lane-c', 'other'].map(series)).toEqual([
    '3',
    undefined,
    undefined,
    '5',
  ]);
});

test('a profile that is gone has no metrics any more', async () => {
  const fleet = await served(makeRoot('lane-a'));
  const snapshot = fleet.watcher.store.snapshot();
  fleet.watcher.store.look({ ...snapshot.fleet, profiles: [] });
  expect((await fleet.ask('/metrics')).text).not.toContain('lane-a');
});

test('others may add metrics of their own', async () => {
  const metrics = async () => '# TYPE fleet_more gauge\nfleet_more 1\n';
  const fleet = await served(undefined, { contribution: { metrics, state: () => ({ more: 1 }) } });
  expect((await fleet.ask('/metrics')).text).toMatch(/fleet_more 1\n$/);
  expect((await fleet.ask('/v1/state')).json.more).toBe(1);
});
