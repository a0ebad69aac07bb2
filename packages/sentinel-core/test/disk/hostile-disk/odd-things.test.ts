/**
 * Things in the sentinel's place that are no regular file: each is held, by one hold that nobody
 * signed, and is never read through, written through or waited for.
 * Files with odd contents are `odd-contents.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EXPIRED, holdsOf, sentinelOf } from '../../support/bodies.ts';
import { otherProcess } from '../../support/other-process.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

const bounded = otherProcess();
const FREE = { engaged: false, expired: false };

/** A name, the code that reading it answers, and how it is made. `beside`: what it points at. */
type Odd = readonly [
  name: string,
  code: string,
  make: (path: string, beside: string) => void | Promise<void>,
];

const LINKS: readonly Odd[] = [
  ['a dangling link', 'ELOOP', (path) => symlinkSync('/nowhere/at/all', path)],
  ['a link to itself', 'ELOOP', (path) => symlinkSync('ESTOP', path)],
  [
    'a loop of links',
    'ELOOP',
    (path, beside) => {
      symlinkSync(path, beside);
      symlinkSync(beside, path);
    },
  ],
  [
    'a link to a file',
    'ELOOP',
    (path, beside) => {
      writeFileSync(beside, 'theirs');
      symlinkSync(beside, path);
    },
  ],
  [
    'a link to an expired sentinel',
    'ELOOP',
    (path, beside) => {
      writeFileSync(beside, JSON.stringify(EXPIRED));
      symlinkSync(beside, path);
    },
  ],
  [
    'a link to a folder',
    'ELOOP',
    (path, beside) => {
      mkdirSync(beside);
      symlinkSync(beside, path);
    },
  ],
  ['a link to an endless device', 'ELOOP', (path) => symlinkSync('/dev/zero', path)],
];
const OTHERS: readonly Odd[] = [
  ['a FIFO', 'EINVAL', (path) => void execFileSync('mkfifo', [path])],
  [
    'a socket that is listened on',
    'ENXIO',
    async (path) => {
      const server = createServer().listen(path);
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    },
  ],
];
const FOLDERS: readonly Odd[] = [
  ['an empty folder', 'EINVAL', (path) => mkdirSync(path)],
  [
    'a full folder',
    'EINVAL',
    (path) => {
      mkdirSync(join(path, 'deep'), { recursive: true });
      writeFileSync(join(path, 'deep', 'file'), 'theirs');
    },
  ],
];

async function scopeWith([, , make]: Odd): Promise<{ dir: string; beside: string }> {
  const dir = scopeDir();
  const beside = join(scopeDir(), 'beside');
  await make(sentinelOf(dir), beside);
  return { dir, beside };
}

/** What a link points at, so that nothing can have happened to it unseen. */
function contentOf(beside: string): unknown {
  const found = lstatSync(beside, { throwIfNoEntry: false });
  if (found?.isFile()) return [found.ino, found.mtimeMs, readFileSync(beside, 'utf8')];
  return found?.isDirectory() ? [found.ino, readdirSync(beside)] : undefined;
}

describe.each([...LINKS, ...OTHERS, ...FOLDERS])('%s', (...odd: Odd) => {
  test('is held, without a deadline, and admits nobody', async () => {
    const { dir } = await scopeWith(odd);
    const id = `anon-${lstatSync(sentinelOf(dir)).ino}`;
    const [, code] = odd;
    expect(await bounded.run('check', dir)).toMatchObject({
      engaged: true,
      unreadable: code,
      topAllow: null,
      generation: null,
      holds: [{ id, holder: null, expiresAtMs: null, allow: null, unreadable: code }],
    });
  });

  test('is not retired', async () => {
    const { dir } = await scopeWith(odd);
    expect(await bounded.run('retire', dir)).toEqual({ retired: false, why: 'active' });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('is lifted by the operator and by no other holder', async () => {
    const { dir, beside } = await scopeWith(odd);
    const before = contentOf(beside);
    await bounded.run('check', dir);
    const files = bounded.openFiles();
    expect(await bounded.run('lift', dir, { holder: 'me' })).toMatchObject({
      lifted: false,
      why: 'not-held',
      remaining: [{ holder: null }],
    });
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
    expect(await bounded.run('lift', dir, { holder: 'operator' })).toMatchObject({
      lifted: true,
      holds: [{ holder: null }],
      remaining: [],
    });
    expect(await bounded.run('check', dir)).toEqual(FREE);
    expect(lstatSync(sentinelOf(dir), { throwIfNoEntry: false })).toBeUndefined();
    expect(contentOf(beside)).toEqual(before);
    expect(bounded.openFiles()).toBe(files);
  });

  test('is lifted by the id that it was shown with, and with everyone’s', async () => {
    const byId = await scopeWith(odd);
    const id = `anon-${lstatSync(sentinelOf(byId.dir)).ino}`;
    expect(await bounded.run('lift', byId.dir, { id })).toMatchObject({ lifted: true });
    const { dir } = await scopeWith(odd);
    expect(await bounded.run('lift', dir, { everyone: true })).toMatchObject({ lifted: true });
    expect(await bounded.run('check', dir)).toEqual(FREE);
  });
});

describe.each([...LINKS, ...OTHERS])('arming over %s', (...odd: Odd) => {
  test('stands beside it, without a deadline, and never reaches what it points at', async () => {
    const { dir, beside } = await scopeWith(odd);
    const before = contentOf(beside);
    const request = { holder: 'me', expiresAt: '2999-01-01T00:00:00+00:00' };
    expect(await bounded.run('arm', dir, request)).toMatchObject({ armed: true });
    expect(holdsOf(dir)).toEqual([
      { id: expect.stringMatching(/^anon-/) },
      expect.objectContaining({ holder: 'me' }),
    ]);
    expect(lstatSync(sentinelOf(dir)).isFile()).toBe(true);
    expect(contentOf(beside)).toEqual(before);
    expect(besideSentinel(dir)).toEqual([]);
    // And what nobody signed stays when ours is lifted.
    expect(await bounded.run('lift', dir, { holder: 'me' })).toMatchObject({
      lifted: true,
      remaining: [{ holder: null, expiresAtMs: null }],
    });
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
  });
});

describe.each(FOLDERS)('arming over %s', (...odd: Odd) => {
  test('is refused: only the folder holds, and it is left as it is', async () => {
    const { dir } = await scopeWith(odd);
    const inside = readdirSync(sentinelOf(dir), { recursive: true });
    expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: false,
      engaged: true,
      why: 'EISDIR',
      holds: [{ holder: null, unreadable: 'EINVAL' }],
    });
    expect(readdirSync(sentinelOf(dir), { recursive: true })).toEqual(inside);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

test('a full folder is set aside when it is lifted, with everything in it', async () => {
  const full = FOLDERS[1] as Odd;
  const { dir } = await scopeWith(full);
  await bounded.run('lift', dir, { holder: 'operator' });
  const [aside, ...more] = besideSentinel(dir);
  expect(aside).toMatch(/^\.ESTOP\.odd-/);
  expect(more).toEqual([]);
  expect(readFileSync(join(dir, aside ?? '', 'deep', 'file'), 'utf8')).toBe('theirs');
  // It holds nobody there, and no operation takes it for its own.
  expect(await bounded.run('check', dir)).toEqual(FREE);
  await bounded.run('recover', dir);
  expect(besideSentinel(dir)).toEqual([aside]);
});

test('a FIFO that somebody has written into is not emptied by looking', async () => {
  const dir = scopeDir();
  execFileSync('mkfifo', [sentinelOf(dir)]);
  // Open for reading and writing, so that opening it waits for nobody.
  const fifo = openSync(sentinelOf(dir), 'r+');
  onTestFinished(() => closeSync(fifo));
  writeSync(fifo, 'theirs');
  expect(await bounded.run('check', dir)).toMatchObject({ engaged: true, unreadable: 'EINVAL' });
  expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(readSync(fifo, Buffer.alloc(16))).toBe(6);
});
