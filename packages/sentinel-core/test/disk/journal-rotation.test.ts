/**
 * A journal that has grown too long: moved aside, whoever else writes, and never at a line's expense.
 * What a line says is `journal.test.ts`; reading them back is `journal-read.test.ts`.
 */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { appendJournal, type JournalEntry, journalPath } from '../../src/files/journal.ts';
import { readJournal } from '../../src/files/journal-read.ts';
import { type Rotation, rotate } from '../../src/files/line-rotation.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../support/other-process.ts';
import { scopeDir } from '../support/scope-dir.ts';

const ACTOR = { user: 'ops', host: 'h', pid: 7, via: 'fleet pause' };
const NOW = Date.UTC(2026, 10, 29, 17);

const entry = (generation: string): JournalEntry => ({
  event: 'arm',
  scope: '/fleet',
  holds: [],
  generation,
  actor: ACTOR,
});

const append = (root: string, generation: string, maxBytes: number, keep = 4) =>
  appendJournal(root, entry(generation), NOW, { maxBytes, keep });

const folderOf = (root: string): string => dirname(journalPath(root));
const filesIn = (root: string): string[] =>
  readdirSync(folderOf(root)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** The generations of one file's lines: which lines they are. Throws for a line that is none. */
const generationsIn = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).generation);

const allIn = (root: string): string[] =>
  filesIn(root).flatMap((name) => generationsIn(join(folderOf(root), name)));

const inodeOf = (path: string): bigint => statSync(path, { bigint: true }).ino;

describe('a full journal', () => {
  test('is moved aside before the next line, under the next number', () => {
    const root = scopeDir();
    for (const line of ['a', 'b', 'c']) expect(append(root, line, 1)).toEqual({ written: true });
    expect(filesIn(root)).toEqual(['journal.1.ndjson', 'journal.2.ndjson', 'journal.ndjson']);
    expect(allIn(root)).toEqual(['a', 'b', 'c']);
  });

  test('stays where it is until it has reached its size', () => {
    const root = scopeDir();
    append(root, 'a', 1000);
    const { size } = statSync(journalPath(root));
    append(root, 'b', size + 1);
    expect(filesIn(root)).toEqual(['journal.ndjson']);
    append(root, 'c', size + 1);
    expect(filesIn(root)).toEqual(['journal.1.ndjson', 'journal.ndjson']);
  });

  test('is one of 4 MiB unless another size is asked for', () => {
    const root = scopeDir();
    appendJournal(root, entry('a'), NOW);
    const size = 4 * 1024 * 1024;
    writeFileSync(journalPath(root), `${'x'.repeat(size - 2)}\n`);
    appendJournal(root, entry('b'), NOW);
    expect(filesIn(root)).toEqual(['journal.ndjson']);
    appendJournal(root, entry('c'), NOW);
    expect(filesIn(root)).toEqual(['journal.1.ndjson', 'journal.ndjson']);
  });

  test('keeps its mode, and so does the new one', () => {
    const root = scopeDir(0o2770);
    append(root, 'a', 1);
    append(root, 'b', 1);
    for (const name of filesIn(root)) {
      expect(statSync(join(folderOf(root), name)).mode & 0o777).toBe(0o660);
    }
  });

  test('the oldest go once four newer ones are full', () => {
    const root = scopeDir();
    for (const line of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) append(root, line, 1);
    expect(allIn(root)).toEqual(['c', 'd', 'e', 'f', 'g']);
    expect(filesIn(root)).toEqual([
      'journal.3.ndjson',
      'journal.4.ndjson',
      'journal.5.ndjson',
      'journal.6.ndjson',
      'journal.ndjson',
    ]);
  });

  test('short ones do not push out a long one', () => {
    const root = scopeDir();
    append(root, 'long', 1);
    append(root, 'a', 1);
    for (const number of [2, 3, 4, 5, 6]) {
      writeFileSync(join(folderOf(root), `journal.${number}.ndjson`), '');
    }
    append(root, 'b', 100);
    expect(allIn(root)).toEqual(['long', 'a', 'b']);
  });

  test('other names in the folder are left alone', () => {
    const root = scopeDir();
    append(root, 'a', 1);
    const others = ['journal.0.ndjson', 'journal.01.ndjson', 'journal.old.ndjson', 'x.1.ndjson'];
    for (const name of others) writeFileSync(join(folderOf(root), name), 'mine');
    for (const line of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) append(root, line, 1);
    for (const name of others) {
      expect(readFileSync(join(folderOf(root), name), 'utf8')).toBe('mine');
    }
  });
});

describe('writers that are at odds', () => {
  test('one that comes late does not move the successor of what it saw', () => {
    const root = scopeDir();
    append(root, 'a', 1000);
    const seen = inodeOf(journalPath(root));
    append(root, 'b', 1);
    rotate(journalPath(root), seen, { maxBytes: 1 });
    expect(filesIn(root)).toEqual(['journal.1.ndjson', 'journal.ndjson']);
    expect(generationsIn(journalPath(root))).toEqual(['b']);
  });

  test('a number that another one has reserved is not written over', () => {
    const root = scopeDir();
    append(root, 'a', 1);
    writeFileSync(join(folderOf(root), 'journal.1.ndjson'), '');
    append(root, 'b', 1);
    expect(filesIn(root)).toEqual(['journal.1.ndjson', 'journal.2.ndjson', 'journal.ndjson']);
    expect(generationsIn(join(folderOf(root), 'journal.2.ndjson'))).toEqual(['a']);
  });

  test('a line that was begun before the journal was moved aside is where that went', () => {
    const root = scopeDir();
    append(root, 'a', 1000);
    const fd = openSync(journalPath(root), 'a');
    onTestFinished(() => closeSync(fd));
    append(root, 'b', 1);
    writeFileSync(fd, `${JSON.stringify({ generation: 'late' })}\n`);
    expect(generationsIn(join(folderOf(root), 'journal.1.ndjson'))).toEqual(['a', 'late']);
  });

  test('a line whose file was removed before it was written is written once more', () => {
    const root = scopeDir();
    append(root, 'a', 1000);
    let removed = 0;
    const rotation = {
      // Asked for when the journal is open and the line is not written yet.
      get maxBytes() {
        if (removed++ === 0) rmSync(journalPath(root));
        return 1000;
      },
    };
    expect(appendJournal(root, entry('b'), NOW, rotation)).toEqual({ written: true });
    expect(allIn(root)).toEqual(['b']);
  });
});

describe('several processes across rotations', () => {
  const WRITERS = 4;
  const LINES = 300;
  const writers = Array.from({ length: WRITERS }, () => otherProcess());

  const appendAll = (root: string, rotation: Rotation) =>
    writers.map(async (writer, who) => {
      const entries = Array.from({ length: LINES }, (_, at) => entry(`${who}-${at}`));
      const written = await writer.run('appendJournals', root, entries, rotation);
      expect(written).toEqual(entries.map(() => ({ written: true })));
    });

  test('no line is lost, torn, mixed with another or written twice', async () => {
    const root = scopeDir();
    // Three lines or so to a file, so that nearly every line meets a rotation.
    await Promise.all(appendAll(root, { maxBytes: 400, keep: 10_000 }));
    const wanted = writers.flatMap((_, who) =>
      Array.from({ length: LINES }, (_line, at) => `${who}-${at}`),
    );
    expect(allIn(root).sort()).toEqual(wanted.sort());
    expect(filesIn(root).length).toBeGreaterThan((WRITERS * LINES) / 8);
  }, 60_000);

  test('while old ones are removed, no fewer bytes are kept than were promised', async () => {
    const root = scopeDir();
    await Promise.all(appendAll(root, { maxBytes: 2000 }));
    const kept = allIn(root);
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept.length).toBeLessThan(WRITERS * LINES);
    const sizes = filesIn(root).map((name) => statSync(join(folderOf(root), name)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThanOrEqual(4 * 2000);
  }, 60_000);

  test('a reader meanwhile sees what was written so far, in order, and nothing twice', async () => {
    const root = scopeDir();
    const [writer] = writers;
    const entries = Array.from({ length: 2 * LINES }, (_, at) => entry(String(at)));
    let writing = true;
    const done = writer?.run('appendJournals', root, entries, { maxBytes: 400, keep: 10_000 });
    void done?.then(() => {
      writing = false;
    });
    while (writing) {
      const seen = [...readJournal(root)].flatMap((found) =>
        found.kind === 'record' ? [found.record.generation] : [],
      );
      expect(seen).toEqual(seen.map((_, at) => String(at)));
      await new Promise(setImmediate);
    }
    await done;
  }, 60_000);
});

describe('a rotation that fails never prevents the line', () => {
  const unprivileged = otherProcess({ uid: NOBODY });

  test('in a folder that this user may not change', async ({ skip }) => {
    skip(otherUserMissing !== undefined, otherUserMissing);
    const root = scopeDir(0o755);
    mkdirSync(folderOf(root), { mode: 0o755 });
    writeFileSync(journalPath(root), `${JSON.stringify({ generation: 'a' })}\n`);
    chmodSync(journalPath(root), 0o666);
    const rotation = { maxBytes: 1 };
    expect(await unprivileged.run('appendJournal', root, entry('b'), NOW, rotation)).toEqual({
      written: true,
    });
    expect(filesIn(root)).toEqual(['journal.ndjson']);
    expect(allIn(root)).toEqual(['a', 'b']);
  });

  test('where every number is taken that it tries', () => {
    const root = scopeDir();
    append(root, 'a', 1000);
    // The greatest number there can be, and the next ones, which are not seen as numbers.
    writeFileSync(join(folderOf(root), 'journal.999999999.ndjson'), '');
    for (let n = 1_000_000_000; n < 1_000_000_032; n++) {
      symlinkSync('nowhere', join(folderOf(root), `journal.${n}.ndjson`));
    }
    expect(append(root, 'b', 1)).toEqual({ written: true });
    expect(generationsIn(journalPath(root))).toEqual(['a', 'b']);
  });
});
