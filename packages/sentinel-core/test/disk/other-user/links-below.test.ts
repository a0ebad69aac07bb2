/**
 * Whoever owns a scope's folder puts links below it, where root walks: root changes nothing behind
 * one, and goes on pausing and resuming.
 */
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { STAGING, TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import {
  attack,
  DEAD,
  theirFolder,
  theirLink,
  theirScope,
  victim,
} from '../../support/attacker.ts';
import { type BodyJson, EXPIRED, STANDING, writeSentinel } from '../../support/bodies.ts';
import { needs } from '../../support/needs.ts';
import { otherUserMissing } from '../../support/other-process.ts';
import { besideSentinel } from '../../support/scope-dir.ts';

needs(otherUserMissing);
const disk = nodeDisk({ patienceMs: 0 });
const EVERYONE = { everyone: true } as const;

/** A scope with this sentinel in it, and an operation that changes something there. */
const OPERATIONS: readonly (readonly [string, BodyJson | null, (dir: string) => unknown])[] = [
  ['arm', null, (dir) => arm(disk, dir, { reason: 'stop' })],
  ['arm beside another hold', STANDING, (dir) => arm(disk, dir, {})],
  ['lift', STANDING, (dir) => lift(disk, dir, EVERYONE)],
  ['retire', EXPIRED, (dir) => retire(disk, dir, { tries: 4 })],
  ['recover', null, (dir) => recover(disk, dir, { force: true })],
];

describe.each(OPERATIONS)('%s', (_, body, operation) => {
  const operate = (dir: string) => {
    if (body !== null) writeSentinel(dir, body);
    operation(dir);
  };

  test.each([DEAD, 'x', TENURE])(
    'a link in the place of the tenure `%s` is removed, and nothing behind it',
    (token) => {
      const [dir, { dir: target, look }] = [theirScope(), victim()];
      const before = look();
      theirFolder(join(dir, TENURE));
      theirLink(target, join(dir, TENURE, token));
      operate(dir);
      expect(look()).toEqual(before);
      recover(disk, dir, { force: true });
      expect(look()).toEqual(before);
      expect(besideSentinel(dir)).toEqual([]);
    },
  );

  test('a link in the place of the tenure’s folder is removed, and nothing behind it', () => {
    const [dir, { dir: target, look }] = [theirScope(), victim()];
    mkdirSync(join(target, DEAD));
    writeFileSync(join(target, DEAD, 'claimed:x'), '');
    const before = look();
    theirLink(target, join(dir, TENURE));
    operate(dir);
    recover(disk, dir, { force: true });
    expect(look()).toEqual(before);
    expect(lstatSync(join(target, DEAD, 'claimed:x')).nlink).toBe(1);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('links in the place of staging are removed, and nothing behind them', () => {
    const [dir, { dir: target, look }] = [theirScope(), victim()];
    mkdirSync(join(target, DEAD));
    theirLink(target, join(dir, STAGING + DEAD));
    theirFolder(join(dir, `${STAGING}x`));
    theirLink(target, join(dir, `${STAGING}x`, 'x'));
    const before = look();
    operate(dir);
    recover(disk, dir, { force: true });
    expect(look()).toEqual(before);
    expect(lstatSync(join(target, DEAD)).isDirectory()).toBe(true);
    expect(lstatSync(join(dir, STAGING + DEAD), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('links inside a dead tenure, under the names of the protocol, keep what they lead to', () => {
    const [dir, { dir: target, look }] = [theirScope(), victim()];
    const before = look();
    theirFolder(join(dir, TENURE));
    theirFolder(join(dir, TENURE, DEAD));
    for (const name of ['claimed:', 'lift:', 'prev:', 'new:']) {
      theirLink(join(target, 'precious'), join(dir, TENURE, DEAD, `${name}${DEAD}`));
      theirLink(target, join(dir, TENURE, DEAD, `${name}${DEAD}:0:1~x`));
    }
    operate(dir);
    recover(disk, dir, { force: true });
    expect(look()).toEqual(before);
  });
});

test('a gate reads nothing behind a link in the place of a tenure, and says that it is held', () => {
  const [dir, { dir: target }] = [theirScope(), victim()];
  writeFileSync(join(target, 'claimed:x'), 'a text of root’s');
  theirFolder(join(dir, TENURE));
  theirLink(target, join(dir, TENURE, 'x'));
  const found = check(disk, dir);
  expect(found).toMatchObject({ engaged: true, unreadable: 'ENOTDIR' });
  expect(JSON.stringify(found)).not.toContain('a text of root’s');
});

test('a link in the place of the tenure’s folder holds nothing, as any file there', () => {
  const [dir, { dir: target }] = [theirScope(), victim()];
  mkdirSync(join(target, 'x'));
  writeFileSync(join(target, 'x', 'claimed:x'), '');
  theirLink(target, join(dir, TENURE));
  expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
});

/** How often root does all of it while the owner swaps. Where links are followed, the first do harm. */
const ROUNDS_DURING_SWAPS = 60;

test('an owner that swaps folders for links while root operates harms nothing behind them', async () => {
  const [dir, { dir: target, look }] = [theirScope(0o777, 'in-memory'), victim()];
  const before = look();
  await attack(SWAP_TENURES, dir, target, DEAD);
  for (let round = 0; round < ROUNDS_DURING_SWAPS; round++) {
    for (const [, body, operate] of OPERATIONS) {
      if (body !== null) writeSentinel(dir, body);
      operate(dir);
    }
    expect(look()).toEqual(before);
  }
});

test.each(['precious', 'folder'])(
  'an owner that puts a link to root’s `%s` in the place of what root has just made changes no mode',
  (name) => {
    const [dir, { dir: target, look }] = [theirScope(0o777), victim()];
    const before = look();
    let swaps = 0;
    afterEachMkdir((path) => {
      renameSync(path, `${dir}/moved-${swaps++}`);
      theirLink(join(target, name), path);
    });
    arm(disk, dir, {});
    expect(swaps).toBeGreaterThan(0);
    expect(look()).toEqual(before);
  },
);

test('an owner that puts another folder of root’s in the place of what root has just made opens it to nobody', () => {
  const dir = theirScope(0o777);
  const secret = join(dir, 'secret');
  mkdirSync(secret, { mode: 0o700 });
  writeFileSync(join(secret, 'file'), '');
  const longAgo = Date.now() / 1_000 - 3_600;
  utimesSync(secret, longAgo, longAgo);
  let swapped = '';
  afterEachMkdir((path) => {
    if (swapped !== '') return;
    swapped = path;
    renameSync(path, `${dir}/moved`);
    renameSync(secret, path);
  });
  const ino = lstatSync(secret).ino;
  arm(disk, dir, {});
  const found = readdirSync(dir, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => lstatSync(join(parentPath, name)))
    .filter((stats) => stats.ino === ino);
  expect(found.map(({ mode }) => (mode & 0o7777).toString(8))).not.toContain('777');
});

/** Does a step in the very moment that no other process can be made to hit: a real `mkdir` has returned. */
function afterEachMkdir(step: (path: string) => void): void {
  const { mkdirSync: real } = fs;
  fs.mkdirSync = ((...args: Parameters<typeof real>) => {
    const made = real(...args);
    // By its name, wherever the walk to its folder went through.
    if (existsSync(String(args[0]))) step(realpathSync(String(args[0])));
    return made;
  }) as typeof real;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.mkdirSync = real;
    syncBuiltinESMExports();
  });
}

/** Puts a tenure with a link in it, and a folder, in turns, wherever root's tenure is or may be. */
const SWAP_TENURES = `
const { mkdirSync, renameSync, symlinkSync, unlinkSync, rmSync, writeFileSync } = require('node:fs');
const [, dir, target, token] = process.argv;
const attempt = (step) => { try { step(); } catch {} };
const tenure = dir + '/.ESTOP.txn';
process.stdout.write('ready');
for (let n = 0; ; n++) {
  const own = dir + '/own-' + n;
  attempt(() => mkdirSync(own));
  attempt(() => mkdirSync(own + '/' + token));
  for (const name of ['precious', 'claimed:' + token, 'new:' + token + ':0'])
    attempt(() => writeFileSync(own + '/' + token + '/' + name, 'x'));
  attempt(() => renameSync(tenure, dir + '/old-' + n));
  attempt(() => renameSync(own, tenure));
  for (let swap = 0; swap < 8; swap++) {
    attempt(() => renameSync(tenure + '/' + token, dir + '/aside-' + n));
    attempt(() => symlinkSync(target, tenure + '/' + token));
    attempt(() => unlinkSync(tenure + '/' + token));
    attempt(() => renameSync(dir + '/aside-' + n, tenure + '/' + token));
  }
  for (const left of ['own-', 'old-', 'aside-'])
    attempt(() => rmSync(dir + '/' + left + n, { recursive: true, force: true }));
}`;
