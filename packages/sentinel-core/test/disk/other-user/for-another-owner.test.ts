/**
 * Root leaves a record in somebody else's fleet: the owner goes on writing and reading it.
 */
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type JournalEntry, journalPath } from '../../../src/files/journal.ts';
import { needs } from '../../support/needs.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../../support/other-process.ts';
import { scopeDir } from '../../support/scope-dir.ts';

needs(otherUserMissing);
const nobody = otherProcess({ uid: NOBODY });
const root = otherProcess();

const WRITTEN = { written: true };

const entry = (scope: string, user: string): JournalEntry => ({
  event: 'arm',
  scope,
  holds: [],
  generation: null,
  actor: { user, host: 'here', pid: 1, via: 'test' },
});

function theirs(mode: number): string {
  const dir = scopeDir();
  chownSync(dir, NOBODY, NOBODY);
  chmodSync(dir, mode);
  return dir;
}

const whose = (path: string) => {
  const { uid, gid, mode } = lstatSync(path);
  return [uid, gid, (mode & 0o7777).toString(8)];
};

test.each([
  ['700', '700', '600'],
  ['755', '700', '600'],
  ['2770', '2770', '660'],
])(
  'in their fleet of mode %s the journal that root makes is theirs',
  async (mode, folder, file) => {
    const dir = theirs(Number.parseInt(mode, 8));
    const path = journalPath(dir);
    expect(await root.run('appendJournal', dir, entry(dir, 'root'))).toEqual(WRITTEN);
    expect(whose(dirname(path))).toEqual([NOBODY, NOBODY, folder]);
    expect(whose(path)).toEqual([NOBODY, NOBODY, file]);
    expect(await nobody.run('appendJournal', dir, entry(dir, 'nobody'))).toEqual(WRITTEN);
    expect(await nobody.run('readJournal', dir)).toMatchObject([
      { record: { actor: { user: 'root' } } },
      { record: { actor: { user: 'nobody' } } },
    ]);
  },
);

test('the one that follows a full one is theirs as well', async () => {
  const dir = theirs(0o755);
  const two = [entry(dir, 'root'), entry(dir, 'root')];
  await root.run('appendJournals', dir, two, { maxBytes: 1 });
  expect(await nobody.run('appendJournal', dir, entry(dir, 'nobody'))).toEqual(WRITTEN);
  expect(await nobody.run('readJournal', dir)).toHaveLength(3);
});

test('what is there already keeps its owner, and so does what a link of theirs leads to', async () => {
  const dir = theirs(0o755);
  const other = scopeDir(0o700);
  mkdirSync(join(other, 'folder'), { mode: 0o700 });
  symlinkSync(join(other, 'folder'), join(dir, '.fleet'));
  await root.run('appendJournal', dir, entry(dir, 'root'));
  expect(whose(join(other, 'folder'))).toEqual([0, 0, '700']);
});

test('through a link of theirs root makes, moves and removes nothing', async () => {
  const dir = theirs(0o755);
  const other = scopeDir(0o755);
  const full = 'x'.repeat(10);
  for (const name of ['journal', 'journal.1', 'journal.2', 'journal.3']) {
    writeFileSync(join(other, `${name}.ndjson`), full);
  }
  const before = readdirSync(other);
  symlinkSync(other, join(dir, '.fleet'));
  lchownSync(join(dir, '.fleet'), NOBODY, NOBODY);
  const two = [entry(dir, 'root'), entry(dir, 'root')];
  const refused = { written: false, why: 'link-of-another' };
  expect(await root.run('appendJournals', dir, two, { maxBytes: 1, keep: 1 })).toEqual([
    refused,
    refused,
  ]);
  expect(readdirSync(other)).toEqual(before);
  for (const name of before) expect(readFileSync(join(other, name), 'utf8')).toBe(full);
});

test('through a link of theirs root reads nothing, and they read and write as ever', async () => {
  const dir = theirs(0o755);
  const other = theirs(0o755);
  symlinkSync(other, join(dir, '.fleet'));
  lchownSync(join(dir, '.fleet'), NOBODY, NOBODY);
  expect(await nobody.run('appendJournal', dir, entry(dir, 'nobody'))).toEqual(WRITTEN);
  expect(await nobody.run('readJournal', dir)).toHaveLength(1);
  expect(await root.run('readJournal', dir)).toEqual([
    { kind: 'unreadable', file: 'journal.ndjson', why: 'link-of-another' },
  ]);
});

test('in a folder of theirs that a link leads to it is theirs', async () => {
  const dir = theirs(0o755);
  const other = theirs(0o755);
  symlinkSync(other, join(dir, '.fleet'));
  expect(await root.run('appendJournal', dir, entry(dir, 'root'))).toEqual(WRITTEN);
  expect(await nobody.run('appendJournal', dir, entry(dir, 'nobody'))).toEqual(WRITTEN);
});
