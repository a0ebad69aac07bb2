/** Receipts of a home: one line each, readable beside any other content. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openReceipts, type ReceiptOptions, readReceipts, receiptsPath } from '../../src/index.ts';

const NOW = Date.UTC(2026, 10, 29, 17, 0, 0, 5);
const REFUSAL = { door: 'turn', principal: 'ops', profile: 'lane-a', holds: ['h1', 'h2'] };
const LINE = {
  at: '2026-11-29T17:00:00.005+00:00',
  ...REFUSAL,
  pid: process.pid,
  instance: 'g1',
};

function newHome(mode = 0o755): string {
  const home = mkdtempSync(join(tmpdir(), 'fleet-receipts-'));
  chmodSync(home, mode);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function opened(home: string, options: Partial<ReceiptOptions> = {}) {
  const receipts = openReceipts(home, { instance: 'g1', now: () => NOW, ...options });
  onTestFinished(() => receipts.close());
  return receipts;
}

function homeWith(text: string | Buffer): string {
  const home = newHome();
  mkdirSync(dirname(receiptsPath(home)));
  writeFileSync(receiptsPath(home), text);
  return home;
}

const lineOf = (more: object = {}): string => `${JSON.stringify({ ...LINE, ...more })}\n`;
const doorsIn = (home: string, options = {}) =>
  readReceipts(home, options).receipts.map(({ door }) => door);

describe('a receipt', () => {
  test('is one line that says when, what, whom, by which holds, and which gateway', () => {
    const home = newHome();
    expect(opened(home).write(REFUSAL)).toEqual({ written: true });
    expect(JSON.parse(readFileSync(receiptsPath(home), 'utf8'))).toEqual(LINE);
    expect(readReceipts(home)).toEqual({
      receipts: [{ ...LINE, atMs: NOW }],
      older: 0,
      corrupt: 0,
    });
  });

  test('is for its owner alone, or for the group that may pause there', () => {
    for (const [mode, file, folder] of [
      [0o755, 0o600, 0o700],
      [0o2770, 0o660, 0o2770],
    ] as const) {
      const home = newHome(mode);
      opened(home).write(REFUSAL);
      const path = receiptsPath(home);
      expect([statSync(path).mode & 0o7777, statSync(dirname(path)).mode & 0o7777]).toEqual([
        file,
        folder,
      ]);
    }
  });

  test('of one that nobody knew by name says null', () => {
    const home = newHome();
    opened(home).write({ ...REFUSAL, principal: null });
    expect(readReceipts(home).receipts[0]?.principal).toBe(null);
  });

  test('of missed work that its lift skipped says so', () => {
    const home = newHome();
    opened(home).write({ ...REFUSAL, skipped: true });
    expect(JSON.parse(readFileSync(receiptsPath(home), 'utf8'))).toEqual({
      ...LINE,
      skipped: true,
    });
    expect(readReceipts(home).receipts[0]?.skipped).toBe(true);
  });

  test('is one of a refusal if it says anything else of that', () => {
    for (const skipped of [false, 'true', 1, null]) {
      const [receipt] = readReceipts(homeWith(lineOf({ skipped }))).receipts;
      expect(receipt).toEqual({ ...LINE, atMs: NOW });
    }
  });

  test('is of bounded length, whatever a caller says and however many holds there are', () => {
    const home = newHome();
    const long = '\u0000'.repeat(1_000_000);
    const holds = Array.from({ length: 500 }, () => long);
    opened(home).write({ ...REFUSAL, door: long, principal: long, holds });
    expect(statSync(receiptsPath(home)).size).toBeLessThan(64 * 1024);
    const [receipt] = readReceipts(home).receipts;
    expect(receipt?.holds).toHaveLength(64);
    expect([receipt?.door.length, receipt?.principal?.length]).toEqual([256, 256]);
  });
});

describe('the record', () => {
  test('of 10,000 refusals is moved aside as it grows, and all of it is read', () => {
    const home = newHome();
    const receipts = opened(home);
    const startMs = performance.now();
    for (let at = 0; at < 10_000; at++) receipts.write({ ...REFUSAL, principal: `p${at}` });
    const eachMs = (performance.now() - startMs) / 10_000;
    process.stdout.write(`a receipt: ${(eachMs * 1000).toFixed(0)} µs\n`);
    expect(readdirSync(dirname(receiptsPath(home))).sort()).toEqual([
      'refused.1.ndjson',
      'refused.ndjson',
    ]);
    const read = readReceipts(home);
    expect(read.receipts.map(({ principal }) => principal)).toEqual(
      Array.from({ length: 10_000 }, (_, at) => `p${at}`),
    );
    expect([read.older, read.corrupt, read.unreadable]).toEqual([0, 0, undefined]);
  });

  test('keeps four full files, and forgets the oldest refusals', () => {
    const home = newHome();
    const receipts = opened(home, { rotation: { maxBytes: 1, keep: 4 } });
    for (const door of 'abcde') receipts.write({ ...REFUSAL, door });
    expect(readReceipts(home).pruned).toBe(undefined);
    for (const door of 'fgh') receipts.write({ ...REFUSAL, door });
    expect(doorsIn(home).join('')).toBe('defgh');
    expect(readReceipts(home)).toMatchObject({ older: 0, pruned: true });
  });

  test('says nothing of forgotten ones where an older one than was asked for is left', () => {
    const home = newHome();
    let nowMs = Date.now() - 100_000;
    const receipts = opened(home, { rotation: { maxBytes: 1, keep: 2 }, now: () => nowMs });
    for (const door of 'abcde') {
      receipts.write({ ...REFUSAL, door });
      nowMs += 10_000;
    }
    const [first] = readReceipts(home).receipts;
    const sinceMs = first?.atMs ?? 0;
    expect(readReceipts(home, { sinceMs }).pruned).toBe(true);
    expect(readReceipts(home, { sinceMs: sinceMs + 1 }).pruned).toBe(undefined);
    // And if the numbers of the files show it.
    expect(readReceipts(home, { sinceMs: Date.now() + 60_000 }).pruned).toBe(undefined);
  });

  test('of several gateways at once has every line whole', async () => {
    const home = newHome();
    const writers = Array.from({ length: 3 }, (_, at) => opened(home, { instance: `g${at}` }));
    for (let times = 0; times < 500; times++) {
      for (const writer of writers) writer.write(REFUSAL);
    }
    const { receipts, corrupt } = readReceipts(home);
    expect([receipts.length, corrupt]).toEqual([1_500, 0]);
  });
});

describe('reading', () => {
  test('gives the newest where only so many are wanted, and counts the others', () => {
    const home = homeWith(
      Array.from({ length: 999 }, (_, at) => lineOf({ door: `${at}` })).join(''),
    );
    for (const most of [0, 1, 10, 998, 999, 5_000]) {
      const read = readReceipts(home, { most });
      expect([read.receipts.length, read.older]).toEqual([
        Math.min(999, most),
        999 - Math.min(999, most),
      ]);
      expect(read.receipts.at(-1)?.door).toBe(most === 0 ? undefined : '998');
    }
  });

  test('passes over what is older than asked for', () => {
    const at = (second: number) => `2026-11-29T17:00:0${second}+00:00`;
    const home = homeWith([1, 2, 3].map((s) => lineOf({ at: at(s), door: `d${s}` })).join(''));
    expect(doorsIn(home, { sinceMs: Date.parse(at(2)) })).toEqual(['d2', 'd3']);
    expect(readReceipts(home, { sinceMs: Date.parse(at(2)), most: 1 }).older).toBe(1);
    const old = join(dirname(receiptsPath(home)), 'refused.1.ndjson');
    writeFileSync(old, lineOf({ at: at(1) }));
    utimesSync(old, Date.parse(at(1)) / 1000, Date.parse(at(1)) / 1000);
    expect(doorsIn(home, { sinceMs: Date.parse(at(2)) })).toEqual(['d2', 'd3']);
  });

  test.each([
    ['half a line', '{"torn\n'],
    ['no receipt', '{"at":"2026-11-29T17:00:00+00:00"}\n'],
    ['a number', '7\n'],
    ['null', 'null\n'],
    ['an instant that is none', lineOf({ at: 'yesterday' })],
    ['holds that are none', lineOf({ holds: 'all' })],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22, 0x0a])],
  ])('counts %s, and gives what is around it', (_what, bad) => {
    const parts = [Buffer.from(lineOf({ door: 'a' })), Buffer.from(bad)];
    const home = homeWith(Buffer.concat([...parts, Buffer.from(lineOf({ door: 'b' }))]));
    expect(doorsIn(home)).toEqual(['a', 'b']);
    expect(readReceipts(home).corrupt).toBe(1);
  });

  test('takes no more of a line than fits, and nothing that is not what it should be', () => {
    const hostile = {
      door: 'x'.repeat(100_000),
      principal: { toString: 1 },
      holds: [{ toString: 1 }, 7, null, 'h1', ...Array.from({ length: 1_000 }, () => 'h')],
      pid: 'me',
      instance: ['g'],
    };
    const [receipt] = readReceipts(homeWith(lineOf(hostile))).receipts;
    expect(receipt).toMatchObject({ principal: null, pid: 0, instance: '' });
    expect(receipt?.door).toHaveLength(256);
    expect(receipt?.holds[0]).toBe('h1');
    expect(receipt?.holds.length).toBeLessThanOrEqual(64);
  });

  test('is nothing where nothing was refused, and where no home is', () => {
    const nothing = { receipts: [], older: 0, corrupt: 0 };
    const home = newHome();
    expect(readReceipts(home)).toEqual(nothing);
    expect(readReceipts(join(home, 'gone'))).toEqual(nothing);
  });

  test.each([
    ['a folder', (path: string) => mkdirSync(path), 'not-a-file'],
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path]), 'not-a-file'],
    ['a link', (path: string) => symlinkSync('/etc/passwd', path), 'ELOOP'],
  ])('says that %s in its place cannot be read, at once', (_what, make, why) => {
    const home = homeWith('');
    rmSync(receiptsPath(home));
    make(receiptsPath(home));
    expect(readReceipts(home)).toEqual({
      receipts: [],
      older: 0,
      corrupt: 0,
      unreadable: `refused.ndjson: ${why}`,
    });
    expect(opened(home).write(REFUSAL)).toMatchObject({ written: false });
  });

  test('reads only so many files, and says that there are more', () => {
    const home = newHome();
    const receipts = opened(home, { rotation: { maxBytes: 1, keep: 1_000 } });
    for (let at = 0; at < 40; at++) receipts.write({ ...REFUSAL, door: `d${at}` });
    const read = readReceipts(home);
    expect(read.receipts.map(({ door }) => door)).toEqual(
      Array.from({ length: 17 }, (_, at) => `d${at + 23}`),
    );
    expect(read.unreadable).toBe('refused.23.ndjson: too-many');
  });

  test('does not read a file for ever that is larger than any of ours', () => {
    const home = homeWith(lineOf({ door: 'first' }));
    truncateSync(receiptsPath(home), 10 * 1024 ** 3);
    const read = readReceipts(home);
    expect(read.receipts).toMatchObject([{ door: 'first' }]);
    expect(read.unreadable).toBe('refused.ndjson: too-large');
  });
});
