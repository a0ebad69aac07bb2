/**
 * Files in the sentinel's place whose contents are no body, or a very large one: held, in bounded
 * time and memory.
 * What every readable body means is the conformance tests' affair.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimName, TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { MAX_BODY_BYTES } from '../../../src/model/body.ts';
import {
  type BodyJson,
  EXPIRED,
  holdsOf,
  KEEPERS,
  PASSED,
  sentinelOf,
  textOf,
  writeSentinel,
} from '../../support/bodies.ts';
import { otherProcess } from '../../support/other-process.ts';
import { ofDeadProcess } from '../../support/ports.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

const bounded = otherProcess();
const FREE = { engaged: false, expired: false };
/** Every operation, together, on any of these files. A check alone needs less than a hundredth. */
const BOUND_MS = 2_000;
/** A body is read into 64 KiB; the rest is what the engine likes to keep. */
const BOUND_KB = 64 * 1024;

const expiredText = JSON.stringify(EXPIRED);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

/** Nested `depth` times, and closed. */
const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

function sparse(dir: string, bytes: number): void {
  const fd = openSync(sentinelOf(dir), 'w');
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

/** `body`, filled up with a field nobody knows to so many bytes. */
function padded(body: BodyJson, bytes: number): string {
  const bare = JSON.stringify({ ...body, padding: '' }).length;
  return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - bare) });
}

const UNREADABLE: ReadonlyArray<
  readonly [name: string, why: string, contents: string | Uint8Array | ((dir: string) => void)]
> = [
  ['no bytes at all', 'empty', ''],
  ['one byte more than 64 KiB', 'EFBIG', padded(EXPIRED, MAX_BODY_BYTES + 1)],
  ['100 MB of zeroes', 'EFBIG', (dir) => sparse(dir, 100 * 1024 * 1024)],
  ['more bytes than memory has', 'EFBIG', (dir) => sparse(dir, 2 ** 42)],
  ['an array nested 100,000 deep', 'EFBIG', arrays(100_000)],
  ['an object nested 100,000 deep', 'EFBIG', objects(100_000)],
  ['an array nested as deep as fits', 'not-json', arrays(MAX_BODY_BYTES / 2)],
  ['an object nested as deep as fits', 'not-json', objects(10_000)],
  ['64 KiB of opening brackets', 'not-json', '['.repeat(MAX_BODY_BYTES)],
  [
    'an expired body with one deep field',
    'not-json',
    `${expiredText.slice(0, -1)},"x":${arrays(30_000)}}`,
  ],
  [
    'an expired body that is not UTF-8',
    'not-utf8',
    Buffer.concat([Buffer.from(expiredText), Buffer.from([0xff])]),
  ],
  ['a lone continuation byte', 'not-utf8', Buffer.from([0x80])],
  ['an overlong encoding', 'not-utf8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['an encoded surrogate', 'not-utf8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  [
    'UTF-16 with its mark',
    'utf-16',
    Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(expiredText)]),
  ],
  [
    'UTF-16 the other way round',
    'utf-16',
    Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(expiredText).swap16()]),
  ],
  ['UTF-16 without its mark', 'not-json', utf16(expiredText)],
  ['two byte order marks', 'not-json', `\ufeff\ufeff${expiredText}`],
  ['an expired body with a NUL behind it', 'not-json', `${expiredText}\0`],
  ['an expired body twice', 'not-json', expiredText + expiredText],
  ['a torn expired body', 'not-json', expiredText.slice(0, -1)],
  ['a number of 60,000 digits', 'not-json', `{"expires_at":"${PASSED}","n":${'9'.repeat(60_000)}}`],
];

function scopeWith(contents: string | Uint8Array | ((dir: string) => void)): string {
  const dir = scopeDir();
  if (typeof contents === 'function') contents(dir);
  else writeSentinel(dir, contents);
  return dir;
}

describe.each(UNREADABLE)('%s', (_name, why, contents) => {
  test('is held, by one hold without a deadline that nobody signed', async () => {
    const dir = scopeWith(contents);
    expect(await bounded.run('check', dir)).toMatchObject({
      engaged: true,
      unreadable: why,
      topAllow: null,
      holds: [
        {
          id: `anon-${statSync(sentinelOf(dir)).ino}`,
          holder: null,
          expiresAtMs: null,
          allow: null,
          unreadable: why,
        },
      ],
    });
  });

  test('goes through every operation in bounded time and memory, and nothing stays behind', async () => {
    const dir = scopeWith(contents);
    const before = bounded.cpuMs();
    expect(await bounded.run('retire', dir)).toMatchObject({ retired: false, why: 'active' });
    const files = bounded.openFiles();
    expect(await bounded.run('lift', dir, { holder: 'me' })).toMatchObject({ why: 'not-held' });
    expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
    expect(holdsOf(dir)).toMatchObject([{}, { holder: 'me' }]);
    expect(await bounded.run('lift', dir, { holder: 'me' })).toMatchObject({
      lifted: true,
      remaining: [{ holder: null, expiresAtMs: null }],
    });
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
    expect(await bounded.run('lift', dir, { holder: 'operator' })).toMatchObject({ lifted: true });
    expect(await bounded.run('check', dir)).toEqual(FREE);
    expect(bounded.cpuMs() - before).toBeLessThan(BOUND_MS);
    expect(bounded.growthKb()).toBeLessThan(BOUND_KB);
    expect(bounded.openFiles()).toBe(files);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('is lifted as it is by the operator', async () => {
    const dir = scopeWith(contents);
    expect(await bounded.run('lift', dir, { holder: 'operator' })).toMatchObject({ lifted: true });
    expect(await bounded.run('check', dir)).toEqual(FREE);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('a body of exactly 64 KiB', () => {
  test('is read: an expired one has expired', async () => {
    const dir = scopeWith(padded(EXPIRED, MAX_BODY_BYTES));
    expect(statSync(sentinelOf(dir)).size).toBe(65_536);
    expect(await bounded.run('check', dir)).toEqual({ engaged: false, expired: true });
    expect(await bounded.run('retire', dir)).toMatchObject({ retired: true });
  });

  test('is read: a standing one says who holds', async () => {
    const dir = scopeWith(padded({ holds: [KEEPERS] }, MAX_BODY_BYTES));
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });

  test('leaves no room for one more hold, which is refused, and stands unchanged', async () => {
    const text = padded({ holds: [KEEPERS] }, MAX_BODY_BYTES);
    const dir = scopeWith(text);
    expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({
      armed: false,
      why: 'too-large',
      engaged: true,
      holds: [{ id: 'K' }],
    });
    expect(textOf(dir)).toBe(text);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('a body at the edge of what is read as nested', () => {
  // 120 open brackets are read; a rewrite takes what it found two levels deeper.
  test.each([
    ['in a field of the top level', (deep: string) => `{"x":${deep}}`],
    ['as the reason of an older body', (deep: string) => `{"reason":${deep}}`],
    ['as an entry of holds', (deep: string) => `{"holds":[${deep}]}`],
    ['in a field of a hold', (deep: string) => `{"holds":[{"id":"K","x":${deep}}]}`],
  ])('can be armed over and lifted: %s', async (_where, bodyWith) => {
    for (let depth = 110; depth <= 130; depth++) {
      const dir = scopeWith(bodyWith(arrays(depth)));
      expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
      expect(await bounded.run('arm', dir, { holder: 'you' })).toMatchObject({ armed: true });
      expect(await bounded.run('check', dir)).toMatchObject({ holds: { length: 3 } });
      expect(await bounded.run('lift', dir, { everyone: true })).toMatchObject({ lifted: true });
      expect(besideSentinel(dir)).toEqual([]);
    }
  });
});

describe('a readable body that is made to be slow', () => {
  const long = 60_000;
  const entry = '{"id":"a"}';
  const count = Math.floor(MAX_BODY_BYTES / (entry.length + 1)) - 10;
  test.each([
    ['a deadline of 60,000 decimals', `{"expires_at":"2020-01-01T00:00:00.${'0'.repeat(long)}"}`],
    ['a deadline of 60,000 spaces', `{"expires_at":"${' '.repeat(long)}x"}`],
    ['a deadline of 60,000 hyphens', `{"expires_at":"2020-01-01T${'-'.repeat(long)}"}`],
    ['an id of 60,000 spaces', `{"allow":{"user_ids":["${' '.repeat(long)}"]}}`],
    ['20,000 ids', `{"allow":{"user_ids":[${Array(20_000).fill('"a"').join()}]}}`],
    ['9,000 numbers', `{"allow":{"user_ids":[${Array(9_000).fill('1e15').join()}]}}`],
    ['5,000 holds', `{"holds":[${Array(count).fill(entry).join()}]}`],
    ['30,000 empty entries', `{"holds":[${Array(30_000).fill('0').join()}]}`],
    ['60,000 escapes', `{"reason":"${'\\n'.repeat(long / 2)}"}`],
  ])('is checked and armed over in bounded time: %s', async (_what, text) => {
    const dir = scopeWith(text);
    const before = bounded.cpuMs();
    await bounded.run('check', dir);
    const armed = await bounded.run('arm', dir, { holder: 'me' });
    expect(bounded.cpuMs() - before).toBeLessThan(BOUND_MS);
    expect(armed.armed || armed.engaged).toBe(true);
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
    expect(besideSentinel(dir)).toEqual([]);
  });
});

test('two bodies of 2,000 holds are merged, or not, in bounded time', async () => {
  const dir = scopeDir();
  const bodyOf = (name: string): BodyJson => ({
    holds: Array.from({ length: 2_000 }, (_, i) => ({ id: `${name}${i}` })),
  });
  const token = ofDeadProcess(nodeDisk()).token();
  mkdirSync(join(dir, TENURE, token), { recursive: true });
  writeFileSync(join(dir, TENURE, token, claimName(token)), JSON.stringify(bodyOf('a')));
  writeSentinel(dir, bodyOf('b'));
  const armed = await bounded.run('arm', dir, { holder: 'me' });
  expect(armed.armed || armed.engaged).toBe(true);
  expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
});
