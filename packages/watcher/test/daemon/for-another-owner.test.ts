/**
 * Root watches another user's fleet: what it creates there belongs to that owner, who can continue
 * without it.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '@fleet-estop/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownSocket } from '../../src/instance/socket.ts';
import { listenOnSocket } from '../../src/serve/listener.ts';
import { NOBODY, needsOtherUsers, tries } from '../support/other-user.ts';
import { startWatcherProcess, startWatcherProcessAs } from '../support/process.ts';
import { helloOf } from '../support/push.ts';
import { makeRoot } from '../support/watched.ts';

const EXPIRED = '{"reason":"over","expires_at":"2020-01-01T00:00:00+00:00"}';

function theirs(mode: number): string {
  const root = makeRoot('lane-a');
  for (const dir of ['', 'profiles', 'profiles/lane-a']) {
    chownSync(join(root, dir), NOBODY.uid, NOBODY.gid);
  }
  chmodSync(root, mode);
  return root;
}

/** Everything in `.fleet`, and whose it is. */
function owners(root: string): Readonly<Record<string, readonly [number, number, string]>> {
  const names = [
    '.fleet',
    ...readdirSync(join(root, '.fleet'), { recursive: true }).map((name) => `.fleet/${name}`),
  ];
  return Object.fromEntries(
    names.map((name) => {
      const { uid, gid, mode } = lstatSync(join(root, name));
      return [name.replace(/owner-.*/, 'owner'), [uid, gid, (mode & 0o7777).toString(8)]];
    }),
  );
}

const of = (mode: string) => [NOBODY.uid, NOBODY.gid, mode];

describe('in a fleet of another user', () => {
  needsOtherUsers();

  test('what root makes belongs to that user, and is as closed as if they had made it', async () => {
    const root = theirs(0o755);
    writeFileSync(join(root, 'profiles/lane-a/ESTOP'), EXPIRED);
    const watcher = startWatcherProcess(root, '--no-http');
    await watcher.logged('watching');
    await watcher.logged('retired');
    expect(owners(root)).toEqual({
      '.fleet': of('700'),
      '.fleet/http.sock': of('600'),
      '.fleet/journal.ndjson': of('600'),
      '.fleet/watcher.lock': of('700'),
      '.fleet/watcher.lock/owner': of('644'),
      '.fleet/watcher.sock': of('600'),
    });
    const hello = encode(helloOf('g', ['lane-a']));
    expect(await tries(NOBODY, join(root, '.fleet/watcher.sock'), hello)).toContain('"type"');
  });

  test('what root makes in a group’s fleet is the group’s too', async () => {
    const root = theirs(0o2770);
    await startWatcherProcess(root, '--no-http').logged('watching');
    expect(owners(root)).toMatchObject({
      '.fleet': of('2770'),
      '.fleet/http.sock': of('660'),
      '.fleet/watcher.lock': of('2770'),
      '.fleet/watcher.sock': of('660'),
    });
  });

  test('its owner takes over after root’s watcher was killed, and after it was asked to stop', async () => {
    const root = theirs(0o755);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const first = startWatcherProcess(root, '--no-http');
      await first.logged('watching');
      first.signal(signal);
      await first.ended;
      const second = startWatcherProcessAs(NOBODY, root, '--no-http');
      await second.logged('watching');
      second.signal('SIGTERM');
      expect(await second.ended).toBe(0);
    }
  });

  test('root keeps the rights of root: it watches what the owner may not read', async () => {
    const root = theirs(0o755);
    const lane = join(root, 'profiles/lane-a');
    chownSync(lane, 0, 0);
    chmodSync(lane, 0o700);
    writeFileSync(join(lane, 'ESTOP'), '{"reason":"seen"}', { mode: 0o600 });
    const watcher = startWatcherProcess(root, '--no-http');
    expect(await watcher.logged('hold.armed')).toMatchObject({
      data: { hold: { reason: 'seen' } },
    });
  });

  test('a link of that owner in the place of a tenure costs root no file when a hold expires', async () => {
    const root = theirs(0o755);
    const victim = victimOf('precious', 'claimed:x');
    const lane = join(root, 'profiles/lane-a');
    mkdirSync(join(lane, '.ESTOP.txn'));
    symlinkSync(victim, join(lane, '.ESTOP.txn/x'));
    for (const path of ['.ESTOP.txn', '.ESTOP.txn/x']) {
      lchownSync(join(lane, path), NOBODY.uid, NOBODY.gid);
    }
    writeFileSync(join(lane, 'ESTOP'), EXPIRED);
    // What stands there is no tenure, and what it means is not known.
    expect(await startWatcherProcess(root, '--no-http').logged('hold.unreadable')).toMatchObject({
      data: { hold: { unreadable: 'ENOTDIR' } },
    });
    expect(readdirSync(victim).sort()).toEqual(['claimed:x', 'precious']);
  });

  test('a link of that owner in the place of the lock costs root no file', async () => {
    const root = theirs(0o755);
    const gone = startWatcherProcess(root, '--no-http');
    await gone.logged('watching');
    gone.signal('SIGKILL');
    await gone.ended;
    const lock = join(root, '.fleet/watcher.lock');
    const victim = victimOf();
    for (const name of readdirSync(lock)) copyFileSync(join(lock, name), join(victim, name));
    const before = readdirSync(victim);
    expect(before).toHaveLength(1);
    rmSync(lock, { recursive: true });
    symlinkSync(victim, lock);
    lchownSync(lock, NOBODY.uid, NOBODY.gid);
    expect(await startWatcherProcess(root, '--no-http').ended).not.toBe(0);
    expect(readdirSync(victim)).toEqual(before);
  });

  test('a link of that owner in the place of `.fleet` costs root no socket of another fleet', async () => {
    const root = theirs(0o755);
    const folder = join(root, '.fleet');
    mkdirSync(folder);
    chownSync(folder, NOBODY.uid, NOBODY.gid);
    const socket = await ownSocket(folder, '0123abcd', (connected) => connected.destroy());
    const victim = victimOf('http.sock');
    // As if the link came between the look and the removal.
    linkSync(join(folder, socket.staged), join(victim, 'watcher.sock'));
    const before = readdirSync(victim).sort();
    renameSync(folder, join(root, 'moved'));
    symlinkSync(victim, folder);
    lchownSync(folder, NOBODY.uid, NOBODY.gid);

    expect(() => socket.publish()).toThrow();
    socket.close();
    await expect(listenOnSocket(() => new Response(), join(folder, 'http.sock'))).rejects.toThrow(
      'EACCES',
    );
    expect(readdirSync(victim).sort()).toEqual(before);
  });
});

/** A folder of root's. */
function victimOf(...names: string[]): string {
  const victim = mkdtempSync(join(tmpdir(), 'fleet-victim-'));
  onTestFinished(() => rmSync(victim, { recursive: true }));
  for (const name of names) writeFileSync(join(victim, name), 'of root');
  return victim;
}
