/**
 * `fleet watcher`: the daemon that `fleet-watcher` is, with its words and its statuses.
 * What a watcher does is its own package's tests.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFleet, place, runFleet, spoil } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { logOf, startNewWatcher } from '../support/watcher.ts';

describe('a watcher that runs', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'is asked to stop by %s, exits 0 and leaves nothing of its own behind',
    async (signal) => {
      const { root } = makeFleet('lane-a');
      const watcher = await startNewWatcher(root);
      watcher.signal(signal);
      expect(await watcher.ended).toEqual({ code: 0, signal: null });
      expect(logOf(watcher).at(-1)).toMatchObject({ msg: 'stopped', signal });
      expect(watcher.stdout()).toBe('');
      expect(readdirSync(join(root, '.fleet'))).toEqual([]);
    },
  );

  it('is the only one of its root: a second one exits 1 and names its process', async () => {
    const { root } = makeFleet('lane-a');
    const first = await startNewWatcher(root);
    const second = startFleet(['--root', root, 'watcher', '--no-http']);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(logOf(second)).toMatchObject([{ code: 'watcher-running', owner: first.pid }]);
    expect(second.stderr()).toContain(`process ${first.pid}`);
  });

  it('is ready when --check says so, and not before', async () => {
    const { root, run } = makeFleet('lane-a');
    expect(run(['watcher', '--check', '--timeout', '1s'])).toMatchObject({ code: 5, stdout: '' });
    await startNewWatcher(root);
    expect(run(['watcher', '--check', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('prints the address that it serves, and nothing else', async () => {
    const { root } = makeFleet('lane-a');
    const watcher = startFleet(['watcher', '--root', root, '--port', '0']);
    await watcher.prints('\n');
    const [, url = ''] = /^serving (http:\/\/127\.0\.0\.1:\d+\/)\n$/.exec(watcher.stdout()) ?? [];
    const response = await fetch(`${url}healthz`);
    expect(await response.json()).toMatchObject({ alive: true, pid: watcher.pid });
  });

  it('retires what has expired', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { expires_at: '2020-01-01T00:00:00+00:00' });
    const watcher = await startNewWatcher(root);
    await watcher.complains('retired an expired sentinel');
  });
});

describe('--once', () => {
  it('prints the state as one JSON document, wherever the root is named', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { holds: [{ id: 'h1', holder: 'sre', reason: 'why' }] });
    const outcomes = [
      run(['watcher', '--once']),
      run(['watcher', '--once', '--json']),
      runFleet(['watcher', '--once'], { env: { FLEET_ROOT: root } }),
    ];
    const [first, second] = outcomes.map(({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return { ...JSON.parse(stdout), looked_at: '' };
    });
    expect(first).toMatchObject({
      schema: 'fleet/state/v1',
      root,
      epoch: null,
      gateways: null,
      profiles: [{ name: 'lane-a', engaged: true, own: { holds: [{ id: 'h1', reason: 'why' }] } }],
    });
    expect(second).toEqual(first);
  });

  it('exits 3 where something cannot be looked at, and says so on stderr, too', () => {
    const { run, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const { code, stdout, stderr } = run(['watcher', '--once']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).unreadable).toHaveLength(1);
    expect(stderr).toContain('counts as held');
  });
});
