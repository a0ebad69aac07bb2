/**
 * Ready means that gateways and the fleet command can reach the watcher, not only that it sees the
 * disk.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerAt } from '../../src/instance/owner.ts';
import { ask, type ServedFleet, served } from '../support/served.ts';
import { makeRoot, NEVER_MS } from '../support/watched.ts';

const ready = async (fleet: ServedFleet) => {
  const { status, json } = await fleet.ask('/readyz');
  return { status, ...json };
};

async function untilReady(fleet: ServedFleet, wanted: boolean): Promise<void> {
  while ((await ready(fleet)).ready !== wanted) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const quick = (root: string) => served(root, { keepMs: 20 }, { sweepMs: 50 });
const slow = (root: string) => served(root, { keepMs: NEVER_MS }, { sweepMs: NEVER_MS });

test('a watcher that can be reached is ready, and names nothing that is missing', async () => {
  const fleet = await slow(makeRoot('lane-a'));
  expect(await ready(fleet)).toMatchObject({
    status: 200,
    ready: true,
    blind: [],
    health: { seat_missing: null, http: { socket: fleet.socket, socket_refused: null } },
  });
  expect((await fleet.ask('/metrics')).text).toContain('\nfleet_ready 1\n');
});

test.each([
  ['a file', (path: string) => writeFileSync(path, 'x')],
  ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path)],
])(
  'where `.fleet` has become %s it is not ready, and it is again once that is gone',
  async (_what, put) => {
    const root = makeRoot('lane-a');
    const fleet = await quick(root);
    rmSync(join(root, '.fleet'), { recursive: true });
    put(join(root, '.fleet'));
    await untilReady(fleet, false);
    const { status, blind, health } = await ready(fleet);
    expect(status).toBe(503);
    expect(blind).toEqual([
      expect.stringContaining('watcher.lock'),
      expect.stringContaining('http.sock'),
    ]);
    expect(health).toMatchObject({
      seat_missing: expect.stringMatching(/watcher.lock: E/),
      http: { socket: null, socket_refused: expect.stringMatching(/^E/) },
    });
    expect((await fleet.ask('/metrics')).text).toContain('\nfleet_ready 0\n');

    rmSync(join(root, '.fleet'));
    await untilReady(fleet, true);
    expect((await ask({ socketPath: fleet.socket, path: '/healthz' })).status).toBe(200);
    expect(await answerAt(join(root, '.fleet/watcher.sock'))).toBe('');
  },
);

test.each(['watcher.lock', 'watcher.sock', 'http.sock'])(
  'it is not ready from the moment when %s is gone',
  async (name) => {
    const root = makeRoot('lane-a');
    const fleet = await slow(root);
    rmSync(join(root, '.fleet', name), { recursive: true });
    const { blind } = await ready(fleet);
    expect(blind).toEqual([expect.stringContaining(`${name}: ENOENT`)]);
  },
);

test.each(['watcher.sock', 'http.sock'])(
  'it is not ready where %s is a file, though that has the number of the socket it replaced',
  async (name) => {
    const root = makeRoot('lane-a');
    const fleet = await slow(root);
    rmSync(join(root, '.fleet', name));
    writeFileSync(join(root, '.fleet', name), '');
    expect((await ready(fleet)).blind).toEqual([expect.stringContaining(name)]);
  },
);

test('while somebody else answers under the name of its socket, it is not ready, and takes nothing', async () => {
  const root = makeRoot('lane-a');
  const fleet = await quick(root);
  const other = createServer((_request, response) => response.end('other'));
  onTestFinished(() => void other.close());
  other.listen(`${fleet.socket}.new`);
  await once(other, 'listening');
  renameSync(`${fleet.socket}.new`, fleet.socket);
  while ((await ready(fleet)).health.http.socket_refused !== 'EADDRINUSE') {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect((await ready(fleet)).ready).toBe(false);
  expect((await ask({ socketPath: fleet.socket, path: '/' })).text).toBe('other');
  const said = fleet.log.filter(({ fields }) => fields['code'] === 'EADDRINUSE');
  expect(said).toHaveLength(1);

  other.close();
  rmSync(fleet.socket, { force: true });
  await untilReady(fleet, true);
});

test('a fleet that was moved away is not ready, whatever is made in its place', async () => {
  const root = makeRoot('lane-a');
  const fleet = await quick(root);
  renameSync(root, `${root}.moved`);
  onTestFinished(() => rmSync(`${root}.moved`, { recursive: true }));
  mkdirSync(root);
  // Two at once; that it is no fleet any more, with the next look.
  expect((await ready(fleet)).blind).toEqual(
    expect.arrayContaining([
      expect.stringContaining('watcher.lock'),
      expect.stringContaining('http.sock'),
    ]),
  );
  await expect
    .poll(async () => (await ready(fleet)).blind)
    .toContainEqual(expect.stringContaining('no-fleet'));
  // It looks again and again, and makes nothing there: a folder with a `.fleet` would be a fleet.
  for (let sweeps = 0; sweeps < 5; sweeps++) {
    const { sweep_age_ms: before } = (await ready(fleet)).health;
    await expect.poll(async () => (await ready(fleet)).health.sweep_age_ms).toBeLessThan(before);
  }
  expect(existsSync(join(root, '.fleet'))).toBe(false);
});
