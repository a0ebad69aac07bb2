/**
 * The record of what was done to a fleet's holds.
 * Another user's journal is `other-user/`, a full or read-only file system `full-disk/`.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { appendJournal, type JournalEntry, journalPath } from '../../src/files/journal.ts';
import { LATER } from '../support/bodies.ts';
import { otherProcess } from '../support/other-process.ts';
import { scopeDir } from '../support/scope-dir.ts';

const NOW = Date.UTC(2026, 10, 29, 17, 0, 0, 5);
const ACTOR = { user: 'ops', host: 'h', pid: 7, via: 'fleet pause' };
const bounded = otherProcess();

const entry = (more: Partial<JournalEntry> = {}): JournalEntry => ({
  event: 'arm',
  scope: '/fleet/profiles/lane-a',
  holds: [],
  generation: 'G',
  actor: ACTOR,
  ...more,
});

const linesOf = (root: string): unknown[] =>
  readFileSync(journalPath(root), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

describe('a line', () => {
  test('says when, what, where, which holds and who, and nothing else', () => {
    const root = scopeDir();
    const armed = arm(nodeDisk(), scopeDir(), {
      holder: 'me',
      reason: 'why',
      expiresAt: LATER,
      allow: { userIds: ['secret-user'] },
    });
    const holds = armed.armed ? armed.holds : [];
    const { generation } = armed;
    const written = appendJournal(root, entry({ profile: 'lane-a', holds, generation }), NOW);
    expect(written).toEqual({ written: true });
    expect(linesOf(root)).toEqual([
      {
        at: '2026-11-29T17:00:00.005+00:00',
        event: 'arm',
        scope: '/fleet/profiles/lane-a',
        profile: 'lane-a',
        holds: [{ id: holds[0]?.id, holder: 'me', reason: 'why', expires_at: LATER }],
        generation,
        actor: ACTOR,
      },
    ]);
  });

  test('of a scope that is no profile names no profile', () => {
    const root = scopeDir();
    appendJournal(root, entry());
    expect(linesOf(root)[0]).not.toHaveProperty('profile');
  });

  test.each(['arm', 're-arm', 'lift', 'expire', 'retire'] as const)('may tell of: %s', (event) => {
    const root = scopeDir();
    appendJournal(root, entry({ event }));
    expect(linesOf(root)).toMatchObject([{ event }]);
  });

  test('stays one line whatever its texts carry', () => {
    const root = scopeDir();
    const scope = 'a\nb\r\u2028\u001b[31m"\\';
    appendJournal(root, entry({ scope }));
    appendJournal(root, entry());
    expect(linesOf(root)).toMatchObject([{ scope }, {}]);
    expect(readFileSync(journalPath(root), 'utf8').split('\n')).toHaveLength(3);
  });

  test('is added behind what is there', () => {
    const root = scopeDir();
    mkdirSync(join(root, '.fleet'));
    writeFileSync(journalPath(root), '{"older":1}\n');
    appendJournal(root, entry());
    appendJournal(root, entry({ event: 'lift' }));
    expect(linesOf(root)).toMatchObject([{ older: 1 }, { event: 'arm' }, { event: 'lift' }]);
  });

  test('is not glued to a line that another writer left torn', () => {
    const root = scopeDir();
    mkdirSync(join(root, '.fleet'));
    writeFileSync(journalPath(root), '{"torn":');
    expect(appendJournal(root, entry({ event: 'lift' }))).toEqual({ written: true });
    const [, line] = readFileSync(journalPath(root), 'utf8').split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ event: 'lift' });
  });
});

describe.each([
  ['000', otherProcess({ umask: 0 })],
  ['077', otherProcess({ umask: 0o077 })],
])('the journal and its folder, under umask %s,', (_umask, process) => {
  test.each([
    ['755', '700', '600'],
    ['711', '700', '600'],
    ['775', '770', '660'],
    ['2770', '2770', '660'],
  ])('in a root %s take the modes %s and %s', async (root, folder, file) => {
    const dir = scopeDir(Number.parseInt(root, 8));
    expect(await process.run('appendJournal', dir, entry())).toEqual({ written: true });
    expect(modeOf(join(dir, '.fleet'))).toBe(folder);
    expect(modeOf(journalPath(dir))).toBe(file);
  });
});

test('a folder that is there keeps its mode', () => {
  const root = scopeDir();
  mkdirSync(join(root, '.fleet'), { mode: 0o750 });
  appendJournal(root, entry());
  expect(modeOf(join(root, '.fleet'))).toBe('750');
});

describe('a journal that cannot be written is said to be unwritten, at once', () => {
  test.each([
    ['a folder in its place', 'EISDIR', (path: string) => mkdirSync(path)],
    ['a FIFO in its place', 'ENXIO', (path: string) => void execFileSync('mkfifo', [path])],
    ['a link to elsewhere', 'ELOOP', (path: string) => symlinkSync(`${path}.elsewhere`, path)],
  ])('%s', async (_what, why, place) => {
    const root = scopeDir();
    mkdirSync(join(root, '.fleet'));
    place(journalPath(root));
    expect(await bounded.run('appendJournal', root, entry())).toEqual({ written: false, why });
    expect(existsSync(`${journalPath(root)}.elsewhere`)).toBe(false);
  });

  test('a FIFO that somebody reads', async () => {
    const root = scopeDir();
    mkdirSync(join(root, '.fleet'));
    execFileSync('mkfifo', [journalPath(root)]);
    // Open for reading and writing, so that opening it waits for nobody.
    const reader = openSync(journalPath(root), 'r+');
    onTestFinished(() => closeSync(reader));
    expect(await bounded.run('appendJournal', root, entry())).toEqual({
      written: false,
      why: 'not a regular file',
    });
  });

  test('a file where its folder should be', async () => {
    const root = scopeDir();
    writeFileSync(join(root, '.fleet'), 'mine');
    expect(await bounded.run('appendJournal', root, entry())).toEqual({
      written: false,
      why: 'ENOTDIR',
    });
    expect(readFileSync(join(root, '.fleet'), 'utf8')).toBe('mine');
  });

  test('a dangling link where its folder should be', async () => {
    const root = scopeDir();
    symlinkSync(join(root, 'nowhere'), join(root, '.fleet'));
    expect(await bounded.run('appendJournal', root, entry())).toMatchObject({ written: false });
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });

  test('a root that is gone', () => {
    const root = scopeDir();
    rmSync(root, { recursive: true });
    mkdirSync(root);
    expect(appendJournal(join(root, 'gone'), entry())).toEqual({ written: false, why: 'ENOENT' });
  });
});
