/**
 * Each line is read once, across rotation, truncation and torn writes.
 */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { appendJournal, journalPath } from '@fleet-estop/sentinel-core';
import { expect, onTestFinished, test } from 'vitest';
import { journalTail } from '../../src/observe/journal-tail.ts';
import { makeRoot } from '../support/watched.ts';

const line = (id: string, event = 'lift') =>
  `${JSON.stringify({ at: 'then', event, scope: '/f', holds: [{ id }], actor: { user: 'u' } })}\n`;

function tailOf(begin: (path: string) => void = () => {}) {
  const root = makeRoot();
  const path = journalPath(root);
  mkdirSync(join(root, '.fleet'));
  begin(path);
  const tail = journalTail(path);
  onTestFinished(() => tail.close());
  return { root, path, tail, ids: () => tail.read().flatMap(({ holdIds }) => holdIds) };
}

test('what was there before is not read; what comes is, each line once', () => {
  const { path, ids } = tailOf((journal) => writeFileSync(journal, line('old')));
  expect(ids()).toEqual([]);
  appendFileSync(path, line('h1') + line('h2'));
  expect(ids()).toEqual(['h1', 'h2']);
  expect(ids()).toEqual([]);
});

test('a journal that does not exist yet is read from its beginning', () => {
  const { path, ids, tail } = tailOf();
  expect(ids()).toEqual([]);
  expect(tail.unreadable).toBeNull();
  writeFileSync(path, line('h1'));
  expect(ids()).toEqual(['h1']);
});

test('what the other end of the package writes is understood', () => {
  const { root, tail } = tailOf();
  const actor = { user: 'u', host: 'h', pid: 1, via: 'fleet resume' };
  const entry = { event: 'lift', scope: '/f', holds: [], generation: null, actor } as const;
  appendJournal(root, entry);
  expect(tail.read()).toMatchObject([{ event: 'lift', scope: '/f', holdIds: [], actor }]);
});

test('a line that is torn is read when it is whole', () => {
  const { path, ids } = tailOf();
  const text = line('h1');
  appendFileSync(path, text.slice(0, 20));
  expect(ids()).toEqual([]);
  appendFileSync(path, text.slice(20));
  expect(ids()).toEqual(['h1']);
});

test('a journal that is moved away is read to its end, and the new one from its beginning', () => {
  const { path, ids } = tailOf((journal) => writeFileSync(journal, line('old')));
  appendFileSync(path, line('h1'));
  renameSync(path, `${path}.1`);
  appendFileSync(`${path}.1`, line('h2'));
  writeFileSync(path, line('h3'));
  expect(ids()).toEqual(['h1', 'h2', 'h3']);
  appendFileSync(path, line('h4'));
  expect(ids()).toEqual(['h4']);
});

test('a journal that is cut is read from its beginning', () => {
  const { path, ids } = tailOf((journal) => writeFileSync(journal, line('a long old line')));
  truncateSync(path);
  appendFileSync(path, line('h1'));
  expect(ids()).toEqual(['h1']);
});

test('a journal that was removed and comes again is read', () => {
  const { path, ids } = tailOf((journal) => writeFileSync(journal, line('old')));
  rmSync(path);
  expect(ids()).toEqual([]);
  writeFileSync(path, line('h1'));
  expect(ids()).toEqual(['h1']);
});

test('lines that are no JSON, or say nothing, are passed over', () => {
  const { path, ids } = tailOf();
  appendFileSync(path, `nonsense\n\n[]\n{"event":5}\n${line('h1')}`);
  expect(ids()).toEqual(['h1']);
});

test('a line without an end takes bounded memory, and the next line is read', () => {
  const { path, ids } = tailOf();
  appendFileSync(path, 'x'.repeat(3_000_000));
  expect(ids()).toEqual([]);
  appendFileSync(path, `\n${line('h1')}`);
  expect(ids()).toEqual(['h1']);
});

test('a folder in its place is said, and read as nothing', () => {
  const { path, ids, tail } = tailOf((journal) => mkdirSync(journal));
  expect(ids()).toEqual([]);
  expect(tail.unreadable).toBe('not-a-file');
  rmSync(path, { recursive: true });
  writeFileSync(path, line('h1'));
  chmodSync(path, 0o600);
  expect(ids()).toEqual(['h1']);
  expect(tail.unreadable).toBeNull();
});

test('a journal that somebody has made endless is not read for ever, and what comes next is', () => {
  const { path, ids } = tailOf((journal) => writeFileSync(journal, ''));
  truncateSync(path, 2 ** 40);
  expect(ids()).toEqual([]);
  appendFileSync(path, `\n${line('h1')}`);
  expect(ids()).toEqual(['h1']);
});
