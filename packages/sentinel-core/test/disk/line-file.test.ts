/**
 * A file of lines that stays open for a writer of many, whatever others do to it meanwhile.
 * One that is opened for a single line is `journal.test.ts`, full ones are `journal-rotation.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linesPath, openLines } from '../../src/files/line-file.ts';
import { readLines } from '../../src/files/line-read.ts';
import type { Rotation } from '../../src/files/line-rotation.ts';
import { tailLines } from '../../src/files/line-tail.ts';
import { scopeDir } from '../support/scope-dir.ts';

const WRITTEN = { written: true };

function opened(rotation?: Rotation) {
  const dir = scopeDir();
  const file = openLines(dir, 'some', rotation);
  onTestFinished(() => file.close());
  return { dir, file, path: linesPath(dir, 'some') };
}

const textOf = (path: string): string => readFileSync(path, 'utf8');
const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const readBack = (path: string) =>
  [...readLines(path, asText)].map((read) => (read.kind === 'record' ? read.record : read.why));

/** How many files this process has open under this name. */
const openCount = (path: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => targetOf(`/proc/self/fd/${fd}`) === path).length;

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    // It was open for the look at the folder alone.
    return null;
  }
}

test('lines come one after the other, and nothing is opened before the first', () => {
  const { dir, file, path } = opened();
  expect(readdirSync(dir)).toEqual([]);
  for (const line of ['a', 'b', 'c']) expect(file.append(line)).toEqual(WRITTEN);
  expect(textOf(path)).toBe('a\nb\nc\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test('the file stays open between lines, and not after `close`', () => {
  const { file, path } = opened();
  file.append('a');
  file.append('b');
  expect(openCount(path)).toBe(1);
  file.close();
  expect(openCount(path)).toBe(0);
  expect(file.append('late')).toEqual(WRITTEN);
  expect(openCount(path)).toBe(0);
  expect(textOf(path)).toBe('a\nb\nlate\n');
});

test('one that was removed is made again, and its folder too', () => {
  const { dir, file, path } = opened();
  file.append('a');
  rmSync(path);
  expect(file.append('b')).toEqual(WRITTEN);
  expect(textOf(path)).toBe('b\n');
  rmSync(dirname(path), { recursive: true });
  expect(file.append('c')).toEqual(WRITTEN);
  expect(textOf(path)).toBe('c\n');
  expect(readdirSync(dir)).toEqual(['.fleet']);
});

test('one that somebody moved aside is not written to any more', () => {
  const { file, path } = opened();
  file.append('a');
  renameSync(path, `${path}.old`);
  file.append('b');
  expect([textOf(`${path}.old`), textOf(path)]).toEqual(['a\n', 'b\n']);
});

test('half a line of another writer is ended first', () => {
  const { file, path } = opened();
  file.append('"a"');
  appendFileSync(path, '"tor');
  file.append('"b"');
  file.append('"c"');
  expect(textOf(path)).toBe('"a"\n"tor\n"b"\n"c"\n');
  expect(readBack(path)).toEqual(['a', 'not-json', 'b', 'c']);
});

test('a full one is moved aside, by whichever of two writers comes to it', () => {
  const { dir, file, path } = opened({ maxBytes: 6 });
  const other = openLines(dir, 'some', { maxBytes: 6 });
  onTestFinished(() => other.close());
  const lines = Array.from({ length: 12 }, (_, at) => `"${String.fromCharCode(97 + at)}"`);
  for (const [at, line] of lines.entries()) (at % 3 === 0 ? other : file).append(line);
  expect(readBack(path)).toEqual([...'cdefghijkl'].slice(0, 10));
  expect(openCount(path)).toBeLessThanOrEqual(2);
});

test.each([
  ['a folder', (path: string) => mkdirSync(path), 'EISDIR'],
  ['a FIFO', (path: string) => execFileSync('mkfifo', [path]), 'ENXIO'],
  ['a link', (path: string) => symlinkSync('elsewhere', path), 'ELOOP'],
])('%s in its place is answered, at once, and is written once it is gone', (_what, make, why) => {
  const { file, path } = opened();
  mkdirSync(dirname(path));
  make(path);
  for (let times = 0; times < 3; times++) {
    expect(file.append('a')).toEqual({ written: false, why });
  }
  rmSync(path, { recursive: true });
  expect(file.append('b')).toEqual(WRITTEN);
  expect(textOf(path)).toBe('b\n');
});

test('a FIFO that somebody reads is no file for lines either', () => {
  const { file, path } = opened();
  mkdirSync(dirname(path));
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(reader));
  expect(file.append('a')).toEqual({ written: false, why: 'not a regular file' });
  expect(openCount(path)).toBe(1);
});

test('a folder that is gone is answered, and nothing is made in its place', () => {
  const dir = scopeDir();
  const file = openLines(join(dir, 'gone'), 'some');
  expect(file.append('a')).toEqual({ written: false, why: 'ENOENT' });
  expect(readdirSync(dir)).toEqual([]);
});

test('of one file no more is read than asked for, and only of the newest that were moved aside', () => {
  const { file, path } = opened({ maxBytes: 1, keep: 10 });
  for (const line of ['"a"', '"b"', '"c"', '"d"']) file.append(line);
  const read = (options: object) =>
    [...readLines(path, asText, options)].map((it) => ('record' in it ? it.record : it.why));
  expect(read({ maxFiles: 2 })).toEqual(['too-many', 'b', 'c', 'd']);
  expect(read({ maxFiles: 3 })).toEqual(['a', 'b', 'c', 'd']);
  writeFileSync(path, '"long one"\n'.repeat(20_000));
  const bounded = read({ maxFiles: 1, maxBytes: 100_000 });
  expect(bounded.slice(0, 2)).toEqual(['too-many', 'c']);
  expect(bounded.at(-1)).toBe('too-large');
  expect(bounded.length).toBeLessThan(10_000);
});

test('files whose last line is too old are passed over', () => {
  const { file, path } = opened({ maxBytes: 1 });
  file.append('"a"');
  file.append('"b"');
  const later = Date.now() + 60_000;
  expect([...readLines(path, asText, { sinceMs: later })]).toEqual([
    { kind: 'record', record: 'b' },
  ]);
});

test('only the newest lines are read if so many bytes are asked for, and that there are older is said', () => {
  const { dir, file, path } = opened({ maxBytes: 8, keep: 10 });
  for (const line of ['"a"', '"b"', '"c"', '"d"', '"e"']) file.append(line);
  const read = (lastBytes: number) =>
    [...readLines(path, asText, { lastBytes })].map((it) => ('record' in it ? it.record : it.why));
  expect(read(20)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(read(12)).toEqual(['older', 'c', 'd', 'e']);
  // Half a line is none.
  expect(read(11)).toEqual(['older', 'd', 'e']);
  expect(read(3)).toEqual(['older']);
  expect([...readLines(path, asText, { maxEntries: 2 })]).toEqual([
    { kind: 'unreadable', file: '.fleet', why: 'too-many' },
    { kind: 'record', record: 'e' },
  ]);
  expect(readdirSync(join(dir, '.fleet'))).toHaveLength(3);
});

test('what is appended is read once, also after the file was moved aside', () => {
  const { file, path } = opened({ maxBytes: 8 });
  file.append('"before"');
  const tail = tailLines(path, asText);
  onTestFinished(() => tail.close());
  expect(tail.read()).toEqual([]);
  file.append('"a"');
  appendFileSync(path, '"to');
  expect(tail.read()).toEqual(['a']);
  appendFileSync(path, 'rn"\n');
  expect([tail.read(), tail.read(), tail.unreadable]).toEqual([['torn'], [], null]);
});
