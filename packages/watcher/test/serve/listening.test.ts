/**
 * Where HTTP is served, who owns the sockets, and what happens when a port is in use.
 */
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnSocket } from '../../src/serve/listener.ts';
import { ask, served } from '../support/served.ts';
import { makeRoot } from '../support/watched.ts';

async function takenPort() {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  return { other, port: (other.address() as AddressInfo).port };
}

const answers = async (socketPath: string): Promise<boolean> =>
  ask({ socketPath, path: '/healthz' }).then(
    ({ status }) => status === 200,
    () => false,
  );

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('the unix socket is its owner’s alone, and goes with the watcher', async () => {
  const fleet = await served();
  expect(lstatSync(fleet.socket).mode & 0o777).toBe(0o600);
  expect(await answers(fleet.socket)).toBe(true);
  await fleet.watcher.close();
  expect(readdirSync(join(fleet.root, '.fleet'))).toEqual([]);
});

test('a port that is taken is said, the unix socket serves, and the port is used once it is free', async () => {
  const { other, port } = await takenPort();
  const fleet = await served(undefined, { port, keepMs: 20 });
  expect(fleet.log).toContainEqual(
    expect.objectContaining({
      level: 'error',
      fields: expect.objectContaining({ port, code: 'EADDRINUSE' }),
    }),
  );
  const { json } = await ask({ socketPath: fleet.socket, path: '/readyz' });
  expect(json).toMatchObject({
    ready: true,
    health: { http: { port: null, port_refused: 'EADDRINUSE', socket: fleet.socket } },
  });
  other.close();
  await eventually(
    async () => (await fleet.ask('/healthz', { port }).catch(() => null))?.status === 200,
  );
  expect(fleet.log.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('without TCP there is still the unix socket', async () => {
  const fleet = await served(undefined, { enabled: false });
  expect(fleet.port).toBe(0);
  expect(await answers(fleet.socket)).toBe(true);
});

test('a port that is changed in the settings is followed', async () => {
  const root = makeRoot('lane-a');
  const [first, second] = [await takenPort(), await takenPort()];
  first.other.close();
  second.other.close();
  const file = join(root, 'fleet.yaml');
  const write = (http: string) => {
    writeFileSync(`${file}.new`, `version: 1\nwatcher:\n  http: ${http}\n`);
    renameSync(`${file}.new`, file);
  };
  write(`{port: ${first.port}}`);
  const fleet = await served(root, { port: undefined, keepMs: 20 });
  expect((await fleet.ask('/healthz', { port: first.port })).status).toBe(200);
  write(`{port: ${second.port}}`);
  await eventually(
    async () => (await fleet.ask('/healthz', { port: second.port }).catch(() => null)) !== null,
  );
  write('{enabled: false}');
  await eventually(
    async () => (await fleet.ask('/healthz', { port: second.port }).catch(() => null)) === null,
  );
  expect(await answers(fleet.socket)).toBe(true);
});

test('a socket that is left of a dead watcher is replaced, and one that vanished is there again', async () => {
  const root = makeRoot('lane-a');
  mkdirSync(join(root, '.fleet'), { mode: 0o700 });
  writeFileSync(join(root, '.fleet/http.sock'), '');
  const fleet = await served(root, { keepMs: 20 });
  expect(await answers(fleet.socket)).toBe(true);
  rmSync(fleet.socket);
  await eventually(() => answers(fleet.socket));
});

test('a leaving watcher leaves its successor’s socket alone', async () => {
  const fleet = await served(undefined, { keepMs: 600_000 });
  const successor = createServer((_request, response) => response.end('successor'));
  successor.listen(`${fleet.socket}.new`);
  await once(successor, 'listening');
  onTestFinished(() => void successor.close());
  renameSync(`${fleet.socket}.new`, fleet.socket);
  await fleet.watcher.close();
  expect((await ask({ socketPath: fleet.socket, path: '/' })).text).toBe('successor');
});

test('a watcher that lost its name to a living one does not take it back', async () => {
  const fleet = await served(undefined, { keepMs: 20 });
  const successor = createServer((_request, response) => response.end('successor'));
  successor.listen(`${fleet.socket}.new`);
  await once(successor, 'listening');
  onTestFinished(() => void successor.close());
  renameSync(`${fleet.socket}.new`, fleet.socket);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await ask({ socketPath: fleet.socket, path: '/' })).text).toBe('successor');
});

test('a path that is too long for a socket is refused, not cut', async () => {
  const path = join(makeRoot(), 'x'.repeat(100), 'http.sock');
  await expect(listenOnSocket(() => new Response(), path)).rejects.toMatchObject({
    code: 'socket-path-too-long',
  });
  expect(existsSync(path)).toBe(false);
});
