/**
 * A root in which no lock can be taken: the log names the true reason and what to do.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeInstanceLock } from '../../src/instance/instance-lock.ts';
import { closeForWriting, mountTmpfs, needsMounts } from '../support/mounts.ts';
import { NOBODY, needsOtherUsers } from '../support/other-user.ts';
import { startWatcherProcess, startWatcherProcessAs } from '../support/process.ts';
import { makeRoot } from '../support/watched.ts';

describe('a root that cannot be written', () => {
  needsMounts();

  test('says EROFS where its file system is read-only, and not that `.fleet` has to be repaired', async () => {
    const root = makeRoot('lane-a');
    mountTmpfs(root);
    mkdirSync(join(root, 'profiles'));
    closeForWriting(root);
    const watcher = startWatcherProcess(root);
    expect(await watcher.ended).toBe(1);
    expect(watcher.log).toMatchObject([
      { code: 'EROFS', hint: expect.stringContaining('writable') },
    ]);
  });
});

test('a root that has gone is ENOENT', async () => {
  const root = join(makeRoot(), 'gone');
  expect(await takeInstanceLock(root, () => {})).toMatchObject({ acquired: false, why: 'ENOENT' });
});

test.each([
  ['a file', 'ENOTDIR', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', 'ENOENT', (path: string) => symlinkSync('nowhere', path)],
])('`.fleet` as %s is %s', async (_what, code, put) => {
  const root = makeRoot('lane-a');
  put(join(root, '.fleet'));
  const watcher = startWatcherProcess(root);
  expect(await watcher.ended).toBe(1);
  expect(watcher.log).toMatchObject([
    { code, hint: expect.stringContaining(join(root, '.fleet')) },
  ]);
});

describe('another user’s root', () => {
  needsOtherUsers();

  test('is EACCES for whoever may not write there, and nothing is made', async () => {
    const root = makeRoot('lane-a');
    chmodSync(root, 0o755);
    const watcher = startWatcherProcessAs(NOBODY, root);
    expect(await watcher.ended).toBe(1);
    expect(watcher.log).toMatchObject([{ code: 'EACCES', hint: expect.stringContaining('owner') }]);
    expect(existsSync(join(root, '.fleet'))).toBe(false);
  });

  test('gets no lock from root through a link that its owner made', async () => {
    const root = makeRoot('lane-a');
    chownSync(root, NOBODY.uid, NOBODY.gid);
    const precious = makeRoot();
    mkdirSync(join(precious, 'folder'), { mode: 0o700 });
    symlinkSync(join(precious, 'folder'), join(root, '.fleet'));
    lchownSync(join(root, '.fleet'), NOBODY.uid, NOBODY.gid);
    const watcher = startWatcherProcess(root);
    expect(await watcher.ended).toBe(1);
    expect(watcher.log).toMatchObject([{ code: 'EACCES' }]);
  });
});
