/**
 * Reading the journal back: oldest first, across files, whatever else lies in them.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { appendJournal, type JournalEntry, journalPath } from '../../src/files/journal.ts';
import { type JournalRead, readJournal } from '../../src/files/journal-read.ts';
import { LATER } from '../support/bodies.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../support/other-process.ts';
import { scopeDir } from '../support/scope-dir.ts';

const NOW = Date.UTC(2026, 10, 29, 17, 0, 0, 5);
const ACTOR = { user: 'ops', host: 'h', pid: 7, via: 'fleet pause' };
const bounded = otherProcess();
const unprivileged = otherProcess({ uid: NOBODY });

const entry = (generation: string): JournalEntry => ({
  event: 'arm',
  scope: '/fleet',
  holds: [],
  generation,
  actor: ACTOR,
});

const inFolder = (root: string, name: string): string => join(dirname(journalPath(root)), name);

function journalWith(
  ...files: readonly (readonly [name: string, text: string | Buffer])[]
): string {
  const root = scopeDir();
  mkdirSync(dirname(journalPath(root)));
  for (const [name, text] of files) writeFileSync(inFolder(root, name), text);
  return root;
}

const line = (generation: string, more: object = {}): string =>
  `${JSON.stringify({ at: '2026-11-29T17:00:00+00:00', event: 'arm', scope: '/f', holds: [], generation, ...more })}\n`;

/** The generation of a record, the rest of what is no record. */
const read = (root: string): unknown[] => [...readJournal(root)].map(shown);
const shown = (found: JournalRead): unknown =>
  found.kind === 'record' ? found.record.generation : found;

describe('what was appended', () => {
  test('is read back as it was written', () => {
    const root = scopeDir();
    const armed = arm(nodeDisk(), scopeDir(), { holder: 'me', reason: 'why', expiresAt: LATER });
    if (!armed.armed) throw new Error(armed.why);
    const { holds, generation, id } = armed;
    const scope = '/fleet/profiles/lane-a';
    const lift = {
      event: 'lift',
      scope,
      profile: 'lane-a',
      holds,
      generation,
      actor: ACTOR,
      operation: 'op-1',
    } as const;
    appendJournal(root, lift, NOW);
    expect([...readJournal(root)]).toEqual([
      {
        kind: 'record',
        record: {
          at: '2026-11-29T17:00:00.005+00:00',
          atMs: NOW,
          event: 'lift',
          scope,
          profile: 'lane-a',
          holds: [{ id, holder: 'me', reason: 'why', expiresAt: LATER }],
          generation,
          actor: ACTOR,
          operation: 'op-1',
        },
      },
    ]);
  });

  test('is read oldest first, across all that was moved aside', () => {
    const root = scopeDir();
    const lines = Array.from({ length: 12 }, (_, at) => `line-${at}`);
    for (const one of lines) appendJournal(root, entry(one), NOW, { maxBytes: 1, keep: 100 });
    expect(read(root)).toEqual(lines);
  });

  test('comes once where a journal is moved aside while it is read, and what was there all comes', () => {
    const root = scopeDir();
    for (const one of ['a', 'b']) appendJournal(root, entry(one), NOW, { maxBytes: 1 });
    const reading = readJournal(root);
    const first = reading.next().value;
    appendJournal(root, entry('c'), NOW, { maxBytes: 1 });
    expect([first, ...reading].map((found) => found && shown(found))).toEqual(['a', 'b']);
  });

  test('is nothing where there is no journal, no folder for it, and no root', () => {
    const root = scopeDir();
    expect(read(root)).toEqual([]);
    mkdirSync(dirname(journalPath(root)));
    expect(read(root)).toEqual([]);
    expect(read(join(root, 'gone'))).toEqual([]);
  });
});

describe('a line that cannot be read', () => {
  test.each([
    ['half a line', 'not-json', '{"torn":\n'],
    ['no record', 'not-a-record', '{"older":1}\n'],
    ['a word', 'not-a-record', '"paused"\n'],
    ['a list', 'not-a-record', '[]\n'],
    ['an instant that is none', 'not-a-record', line('x', { at: 'yesterday' })],
    ['holds that are none', 'not-a-record', line('x', { holds: 'all' })],
    ['bytes that are no text', 'not-utf8', Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    [
      'zeros, as a crashed disk leaves them',
      'not-json',
      Buffer.concat([Buffer.alloc(4096), Buffer.from('\n')]),
    ],
    ['very deep nesting', 'not-a-record', `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`],
  ] as const)('is told with its number, and the others are read: %s', (_what, why, bad) => {
    const text = Buffer.concat([Buffer.from(line('a')), Buffer.from(bad), Buffer.from(line('b'))]);
    const root = journalWith(['journal.ndjson', text]);
    const told = { kind: 'corrupt', file: 'journal.ndjson', line: 2, why };
    expect(read(root)).toEqual(['a', told, 'b']);
  });

  test('is told as unfinished where the file ends in it', () => {
    const root = journalWith(['journal.ndjson', `${line('a')}{"at":"2026`]);
    const told = { kind: 'corrupt', file: 'journal.ndjson', line: 2, why: 'unfinished' };
    expect(read(root)).toEqual(['a', told]);
  });

  test('has the number of its own file', () => {
    const root = journalWith(
      ['journal.3.ndjson', `${line('a')}torn\n`],
      ['journal.ndjson', `torn\n${line('b')}`],
    );
    expect(read(root)).toMatchObject([
      'a',
      { file: 'journal.3.ndjson', line: 2 },
      { file: 'journal.ndjson', line: 1 },
      'b',
    ]);
  });

  test('is not the empty one that two writers leave who mend the same torn line', () => {
    const root = journalWith(['journal.ndjson', `${line('a')}\n\n${line('b')}`]);
    expect(read(root)).toEqual(['a', 'b']);
  });

  test('in part is shown in part', () => {
    const text = line('a', {
      event: 'merge',
      holds: [{ holder: 7 }, null],
      actor: { user: 'ops' },
    });
    const [found] = readJournal(journalWith(['journal.ndjson', text]));
    expect(found).toMatchObject({
      record: {
        event: 'merge',
        profile: null,
        holds: [{ id: '', holder: null }, { id: '' }],
        actor: { user: 'ops', host: '', pid: 0, via: '' },
      },
    });
  });
});

test('100 MB in one line take neither the memory nor the lines behind it', async () => {
  const root = journalWith(['journal.ndjson', '']);
  const path = journalPath(root);
  execFileSync('sh', ['-c', 'head -c 104857600 /dev/zero | tr "\\0" x > "$0"', path]);
  writeFileSync(path, `\n${line('a')}`, { flag: 'a' });
  const found = await bounded.run('readJournal', root);
  rmSync(path);
  expect(found.map(shown)).toEqual([
    { kind: 'corrupt', file: 'journal.ndjson', line: 1, why: 'too-long' },
    'a',
  ]);
  expect(bounded.growthKb()).toBeLessThan(40_000);
});

describe('a file that cannot be read is told, and the others are read', () => {
  test.each([
    ['a folder', 'not-a-file', (path: string) => mkdirSync(path)],
    ['a FIFO', 'not-a-file', (path: string) => void execFileSync('mkfifo', [path])],
    ['a link', 'ELOOP', (path: string) => symlinkSync('journal.ndjson', path)],
  ])('%s', async (_what, why, place) => {
    const root = journalWith(['journal.1.ndjson', line('a')], ['journal.ndjson', line('b')]);
    place(inFolder(root, 'journal.2.ndjson'));
    const found = await bounded.run('readJournal', root);
    expect(found.map(shown)).toEqual([
      'a',
      { kind: 'unreadable', file: 'journal.2.ndjson', why },
      'b',
    ]);
  });

  test('of another user, and a folder of one', async ({ skip }) => {
    skip(otherUserMissing !== undefined, otherUserMissing);
    const root = journalWith(['journal.1.ndjson', line('a')], ['journal.ndjson', line('b')]);
    chmodSync(journalPath(root), 0o600);
    expect((await unprivileged.run('readJournal', root)).map(shown)).toEqual([
      'a',
      { kind: 'unreadable', file: 'journal.ndjson', why: 'EACCES' },
    ]);
    chmodSync(dirname(journalPath(root)), 0o700);
    expect((await unprivileged.run('readJournal', root)).map(shown)).toEqual([
      { kind: 'unreadable', file: 'journal.ndjson', why: 'EACCES' },
    ]);
  });
});

test('a file that says it is a terabyte long is read as far as any of ours could be', () => {
  const root = journalWith(['journal.ndjson', line('g1')]);
  truncateSync(journalPath(root), 2 ** 40);
  expect([...readJournal(root)].at(-1)).toMatchObject({ kind: 'unreadable', why: 'too-large' });
});
