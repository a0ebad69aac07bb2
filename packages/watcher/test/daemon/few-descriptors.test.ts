/**
 * A process with few descriptors, and strangers who use them up.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { capsFor } from '../../src/descriptors.ts';
import { streamLimitsFor } from '../../src/serve/stream-admission.ts';
import { type LogEntry, limitDescriptors, startWithFewDescriptors } from '../support/process.ts';
import { ask } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

test.each([
  [null, 4_096, 1_024],
  [1_048_576, 4_096, 1_024],
  [20_000, 4_096, 1_024],
  [1_024, 384, 192],
  [256, 96, 48],
  [64, 2, 1],
])(
  'with %s descriptors, %s gateways and %s connections to each server are let in',
  (limit, gateways, http) => {
    expect(capsFor(limit)).toMatchObject({ gateways, http });
  },
);

test('streams never use all connections of a server, and every kind of client has a limit', () => {
  for (const connections of [4, 48, 192, 1_024]) {
    const { named, unnamed, token, socket, client } = streamLimitsFor(connections);
    expect(named + unnamed + token).toBeLessThan(connections);
    expect(socket).toBeLessThan(connections);
    for (const most of [named, unnamed, token, socket, client]) expect(most).toBeGreaterThan(0);
  }
});

/** Connections that say nothing, to whatever listens there. */
function strangers(to: { port: number } | { path: string }, count: number): Socket[] {
  const sockets = Array.from({ length: count }, () => connect(to).on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

test('400 idle connections of strangers at 256 descriptors keep nobody from reading the fleet', async () => {
  const root = makeRoot('lane-a');
  const watcher = startWithFewDescriptors(256, root, '--port', '0', '--sweep', '1s');
  const { url } = await watcher.logged('http is served', (line) => line['url'] !== undefined);
  await watcher.logged('watching');
  strangers({ port: Number(new URL(url).port) }, 400);
  strangers({ path: join(root, '.fleet/watcher.sock') }, 400);
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'crowded' });
  await watcher.logged('profile.paused', (line) => line['data'].profile === 'lane-a');
  const socketPath = join(root, '.fleet/http.sock');
  const { status, json } = await ask({ socketPath, path: '/readyz' });
  expect([status, json.ready, json.unreadable]).toEqual([200, true, []]);
  expect(watcher.log.filter(({ msg }) => msg.includes('cannot be read'))).toEqual([]);
});

test('settings that come first while no descriptor is free are in force once there is one', async () => {
  const root = makeRoot('lane-a');
  const watcher = startWithFewDescriptors(256, root, '--no-http', '--sweep', '1s');
  await watcher.logged('watching');
  // The limit is lowered beneath what is open: every open fails, whatever is let go meanwhile.
  limitDescriptors(watcher.pid, 8);
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nwatcher: { sweep: 2s }\n');
  await watcher.logged('settings refused', (line) => JSON.stringify(line).includes('EMFILE'));
  limitDescriptors(watcher.pid, 256);
  await watcher.logged(
    'settings in force',
    (line) => line['settings']?.watcher?.sweep?.ms === 2_000,
  );
});

test('settings that come first while two descriptors are free are in force, then or later', async () => {
  const root = makeRoot('lane-a');
  const watcher = startWithFewDescriptors(256, root, '--no-http', '--sweep', '1s');
  await watcher.logged('watching');
  // Enough for one file at a time, and too few for the many files of what reads YAML.
  limitDescriptors(watcher.pid, limitThatLeaves(2, watcher.pid));
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nwatcher: { sweep: 2s }\n');
  await watcher.logged('settings ');
  limitDescriptors(watcher.pid, 256);
  const isRight = (line: LogEntry) => line['settings']?.watcher?.sweep?.ms === 2_000;
  await watcher.logged('settings in force', isRight);
});

function limitThatLeaves(free: number, pid: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let found = 0; found < free; limit++) if (!open.has(limit)) found++;
  return limit;
}
