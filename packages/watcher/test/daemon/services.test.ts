/**
 * What services get, and in which order they start and close.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Service,
  type ServiceContext,
  startWatcher,
  type WatcherOptions,
} from '../../src/daemon.ts';
import { disk, type LogLine, listeningLog, makeRoot } from '../support/watched.ts';

async function started(root: string, options: Partial<WatcherOptions> = {}) {
  const lines: LogLine[] = [];
  const start = await startWatcher({ root, log: listeningLog(lines), ...options });
  if (!start.started) throw new Error('refused');
  onTestFinished(() => start.watcher.close());
  return { ...start.watcher, lines };
}

test('services start in order on a fleet that was looked at, and close the other way round', async () => {
  const root = makeRoot('lane-a');
  arm(disk, join(root, 'profiles/lane-a'), {});
  const said: string[] = [];
  const service =
    (name: string): Service =>
    async ({ store, socketPath }) => {
      said.push(`${name} ${store.snapshot().fleet.profiles[0]?.engaged} ${existsSync(socketPath)}`);
      return () => {
        said.push(`${name} closed, lock ${existsSync(socketPath)}`);
      };
    };
  const watcher = await started(root, { services: [service('push'), service('serve')] });
  await watcher.close();
  expect(said).toEqual([
    'push true false',
    'serve true false',
    'serve closed, lock true',
    'push closed, lock true',
  ]);
});

test('whoever connects is handed to the service that asked for it, and is turned away before and after', async () => {
  const root = makeRoot();
  let path = '';
  const push: Service = async ({ onConnection, socketPath }) => {
    path = socketPath;
    onConnection((socket) => socket.end('hello\n'));
    return () => {};
  };
  const watcher = await started(root, { services: [push] });
  const client = connect(path);
  const [chunk] = await once(client, 'data');
  expect(String(chunk)).toBe('hello\n');
  await watcher.close();
  const late = connect(path);
  const [error] = await once(late, 'error');
  expect(error.code).toBe('ENOENT');
});

test('a service that cannot start takes everything down with it, the lock included', async () => {
  const root = makeRoot();
  const closed: string[] = [];
  const good: Service = async () => () => {
    closed.push('good');
  };
  const bad: Service = async () => {
    throw new Error('the port is taken');
  };
  await expect(started(root, { services: [good, bad] })).rejects.toThrow('the port is taken');
  expect(closed).toEqual(['good']);
  expect(readdirSync(join(root, '.fleet'))).toEqual([]);
});

test('the state of the settings, and how well we see, can be asked for', async () => {
  const root = makeRoot('lane-a');
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: nope\n');
  let context: ServiceContext | undefined;
  const watcher = await started(root, {
    sweepMs: 1_000,
    services: [
      async (given) => {
        context = given;
        return () => {};
      },
    ],
  });
  expect(watcher.configState()).toMatchObject({
    settings: { version: 1 },
    rejected: [{ path: join(root, 'fleet.yaml'), inForce: 'defaults' }],
  });
  expect(watcher.store.log.recent(9).map(({ type }) => type)).toContain('config.rejected');
  const health = context?.health();
  expect(health).toMatchObject({ mode: 'auto', sweepMs: 1_000, unannounced: 0 });
  expect(health?.sweepAgeMs).toBeLessThan(10_000);
  expect(health?.journalUnreadable).toBeNull();
});

test('the lane `default` is listed as soon as a gateway serves it', async () => {
  const root = makeRoot('lane-a');
  let context: ServiceContext | undefined;
  const { store } = await started(root, {
    services: [
      async (given) => {
        context = given;
        return () => {};
      },
    ],
  });
  const listed = new Promise<void>((resolve) => {
    store.subscribe(({ fleet }) => {
      if (fleet.profiles.some(({ name }) => name === 'default')) resolve();
    });
  });
  const unheard = { in_flight: 0, refused: 0, acknowledged: null, acknowledged_at: null };
  const served = { name: 'default', doors: [], ...unheard };
  const at = '2026-11-29T17:00:00.000+00:00';
  const gateway = {
    instance: 'i',
    pid: 1,
    software: 's',
    connected_at: at,
    last_seen_at: at,
    gone_at: null,
  };
  store.setGateways([{ ...gateway, link: 'connected', profiles: [served] }]);
  context?.lookAgain();
  await listed;
});
