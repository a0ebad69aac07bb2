/**
 * Who on this host can reach the watcher: its owner, and users who share the folder.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from '@fleet-estop/protocol';
import { describe, expect, test } from 'vitest';
import { NOBODY, needsOtherUsers, tries, type User } from '../support/other-user.ts';
import { startWatcherProcess } from '../support/process.ts';
import { helloOf } from '../support/push.ts';
import { makeRoot } from '../support/watched.ts';

const OWNER: User = { uid: 0, gid: 0 };
/** Of nobody else; no name is needed for it. */
const GROUP = 54_321;
const MEMBER: User = { uid: 65_533, gid: GROUP };

const HELLO = encode(helloOf('g', ['lane-a']));
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: fleet\r\n\r\n';

/** What a user is answered on both sockets. */
async function answers(root: string, user: User): Promise<readonly string[]> {
  const folder = join(root, '.fleet');
  return Promise.all([
    tries(user, join(folder, 'watcher.sock'), HELLO),
    tries(user, join(folder, 'http.sock'), REQUEST),
  ]);
}

const SERVED = [expect.stringMatching(/"type":"(alive|state)"/), 'HTTP/1.1 200 OK'];
const REFUSED = ['EACCES', 'EACCES'];

async function watching(root: string, umask = 0o022): Promise<void> {
  const before = process.umask(umask);
  const watcher = startWatcherProcess(root, '--no-http');
  process.umask(before);
  await watcher.logged('watching');
}

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

describe('another user of this host', () => {
  needsOtherUsers();

  test.each(['022', '000'])(
    'reaches neither socket of a fleet that everybody may read (umask %s)',
    async (umask) => {
      const root = makeRoot('lane-a');
      chmodSync(root, 0o755);
      await watching(root, Number.parseInt(umask, 8));
      expect(await answers(root, NOBODY)).toEqual(REFUSED);
      expect(await answers(root, OWNER)).toEqual(SERVED);
    },
  );

  test('reaches neither where `.fleet` itself was left open to everybody', async () => {
    const root = makeRoot('lane-a');
    chmodSync(root, 0o755);
    mkdirSync(join(root, '.fleet'));
    chmodSync(join(root, '.fleet'), 0o755);
    await watching(root, 0o000);
    expect(await answers(root, NOBODY)).toEqual(REFUSED);
    expect(await answers(root, OWNER)).toEqual(SERVED);
  });

  test('reaches both as a member of the group that shares the fleet, and neither otherwise', async () => {
    const root = makeRoot('lane-a');
    chownSync(root, 0, GROUP);
    chmodSync(root, 0o2770);
    await watching(root, 0o077);
    const shared = ['.fleet', '.fleet/watcher.sock', '.fleet/http.sock'];
    expect(shared.map((name) => modeOf(join(root, name)))).toEqual(['2770', '660', '660']);
    expect(shared.map((name) => lstatSync(join(root, name)).gid)).toEqual([GROUP, GROUP, GROUP]);
    expect(await answers(root, MEMBER)).toEqual(SERVED);
    expect(await answers(root, NOBODY)).toEqual(REFUSED);
  });
});
