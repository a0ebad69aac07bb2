/**
 * `fleet history`: what the journal tells, oldest first, and what it cannot tell any more.
 */
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  type Document,
  everythingBelow,
  type Fleet,
  inSeconds,
  makeFleet,
  place,
  UNSAFE,
} from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';

const journalOf = ({ root }: Fleet, name = 'journal.ndjson'): string => join(root, '.fleet', name);

/** A line as `fleet pause` writes it. */
const line = (more: object = {}): string =>
  `${JSON.stringify({
    at: inSeconds(0),
    event: 'arm',
    scope: '/f',
    holds: [{ id: 'x', holder: 'sre', reason: 'why', expires_at: null }],
    generation: 'g',
    actor: { user: 'ops', host: 'h', pid: 7, via: 'fleet pause' },
    ...more,
  })}\n`;

function withJournal(fleet: Fleet, text: string, name?: string): Fleet {
  mkdirSync(join(fleet.root, '.fleet'), { recursive: true });
  writeFileSync(journalOf(fleet, name), text);
  return fleet;
}

const reasonsIn = (document: Document): string[] =>
  document.records.flatMap(({ holds }: Document) => holds.map(({ reason }: Document) => reason));

describe('what was done', () => {
  it('is told oldest first: when, what, where, whose hold, why, and by whom', () => {
    const fleet = makeFleet('lane-a');
    const { run, json, root, sentinel } = fleet;
    run(['pause', '-p', 'lane-a', '--reason', 'one', '--as', 'sre', '--ttl', '1h']);
    const [hold] = bodyOf(sentinel('lane-a')).holds;
    run(['pause', '--reason', 'two']);
    run(['resume', '-p', 'lane-a', '--as', 'sre']);
    const { code, document } = json(['history']);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      schema: 'fleet/history/v1',
      root,
      omitted: 0,
      corrupt: 0,
      corrupt_lines: [],
      unreadable: [],
      records: [
        {
          event: 'arm',
          kind: 'profile',
          profile: 'lane-a',
          scope: join(root, 'profiles', 'lane-a'),
          holds: [{ id: hold.id, holder: 'sre', reason: 'one', expires_at: hold.expires_at }],
          actor: { user: 'tester', via: 'fleet pause' },
        },
        { event: 'arm', kind: 'root', profile: null, scope: root, holds: [{ reason: 'two' }] },
        { event: 'lift', profile: 'lane-a', actor: { via: 'fleet resume' } },
      ],
    });
    const { stdout, stderr } = run(['history'], { env: { COLUMNS: '120' } });
    expect(stderr).toBe('');
    const rows = stdout.trimEnd().split('\n').slice(2);
    expect(rows[0]).toMatch(/^WHEN \(\+00:00\) +EVENT +SCOPE +HOLDER +REASON +BY$/);
    expect(rows.slice(1)).toEqual([
      expect.stringMatching(
        /^\d{4}(-\d\d){2} [\d:]{8} +arm +lane-a +sre +one +tester, fleet pause \(op-[0-9a-f]{12}\)$/,
      ),
      expect.stringMatching(
        / arm +\(root\) +operator +two +tester, fleet pause \(op-[0-9a-f]{12}\)$/,
      ),
      expect.stringMatching(/ lift +lane-a +sre +one +tester, fleet resume \(op-[0-9a-f]{12}\)$/),
    ]);
  });

  it('is told across journals that were moved aside', () => {
    const fleet = withJournal(makeFleet(), line({ holds: [{ id: 'c', reason: 'c' }] }));
    for (const [number, reason] of [
      [9, 'a'],
      [10, 'b'],
    ] as const) {
      withJournal(fleet, line({ holds: [{ id: 'x', reason }] }), `journal.${number}.ndjson`);
    }
    expect(reasonsIn(fleet.json(['history']).document)).toEqual(['a', 'b', 'c']);
  });

  it('is nothing where nothing was recorded', () => {
    const { run, json, root } = makeFleet('lane-a');
    const { code, stdout } = run(['history']);
    expect(code).toBe(0);
    expect(stdout).toContain('no record matches');
    expect(json(['history']).document.records).toEqual([]);
    expect(everythingBelow(root)).toEqual(['profiles', 'profiles/lane-a']);
  });

  it('fits 80 columns where there are no more', () => {
    const fleet = withJournal(
      makeFleet(),
      line({ holds: [{ id: 'x', holder: 'h'.repeat(60), reason: 'r'.repeat(900) }] }),
    );
    for (const row of fleet.run(['history'], { env: { COLUMNS: '80' } }).stdout.split('\n')) {
      if (!/^(root|gone,) /.test(row)) expect(row.length).toBeLessThanOrEqual(80);
    }
  });
});

describe('which of it is told', () => {
  it('-p: what bound that profile, and so the root’s as well', () => {
    const { run, json } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--reason', 'a']);
    run(['pause', '-p', 'lane-b', '--reason', 'b']);
    run(['pause', '--reason', 'root']);
    expect(reasonsIn(json(['history', '-p', 'lane-b']).document)).toEqual(['b', 'root']);
    expect(reasonsIn(json(['history', '-p', 'lane-a', '-p', 'lane-b']).document)).toEqual([
      'a',
      'b',
      'root',
    ]);
  });

  it('-p of a profile that is gone: the journal remembers it', () => {
    const { run, json, folder } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--reason', 'a']);
    rmSync(folder('lane-a'), { recursive: true });
    const { code, document } = json(['history', '-p', 'lane-a']);
    expect(code).toBe(0);
    expect(reasonsIn(document)).toEqual(['a']);
    expect(document.skipped).toEqual([]);
  });

  it('-p of a profile that never was is refused, with the nearest name', () => {
    const { run, json } = makeFleet('lane-a');
    run(['pause']);
    const { code, stderr } = run(['history', '-p', 'lane-q']);
    expect(code).toBe(2);
    expect(stderr).toContain('nearest: lane-a');
    const allowed = json(['history', '-p', 'lane-q', '--allow-missing']);
    expect(allowed.code).toBe(0);
    expect(allowed.document.skipped).toEqual(['lane-q']);
  });

  it('--since: what was done in that time', () => {
    const old = line({ at: inSeconds(-7200), holds: [{ id: 'x', reason: 'old' }] });
    const young = line({ at: inSeconds(-60), holds: [{ id: 'x', reason: 'young' }] });
    const { json } = withJournal(makeFleet(), old + young);
    expect(reasonsIn(json(['history', '--since', '1h']).document)).toEqual(['young']);
    expect(reasonsIn(json(['history', '--since', '3h']).document)).toEqual(['old', 'young']);
  });

  it('--limit: the newest, and how many there are before them', () => {
    const lines = Array.from({ length: 25 }, (_, at) =>
      line({ holds: [{ id: 'x', reason: String(at) }] }),
    );
    const { json, run } = withJournal(makeFleet(), lines.join(''));
    const { document } = json(['history', '--limit', '2']);
    expect(reasonsIn(document)).toEqual(['23', '24']);
    expect(document.omitted).toBe(23);
    expect(run(['history', '--limit', '2']).stdout).toContain('and 23 before these (--limit)');
    expect(json(['history', '--limit', '25']).document.omitted).toBe(0);
  });

  it('without --limit: the newest thousand', () => {
    const lines = Array.from({ length: 2_500 }, (_, at) =>
      line({ holds: [{ id: 'x', reason: String(at) }] }),
    );
    const { document } = withJournal(makeFleet(), lines.join('')).json(['history']);
    expect(document.records).toHaveLength(1000);
    expect(document.omitted).toBe(1500);
    expect(reasonsIn(document).at(-1)).toBe('2499');
  });
});

describe('what cannot be read', () => {
  it('corrupt lines are counted and named on stderr, and skipped', () => {
    const text = `${line({ holds: [{ id: 'x', reason: 'a' }] })}torn {\n{"older":1}\n${line({ holds: [{ id: 'x', reason: 'b' }] })}`;
    const { run, json } = withJournal(makeFleet(), text);
    const { code, document } = json(['history']);
    expect(code).toBe(0);
    expect(reasonsIn(document)).toEqual(['a', 'b']);
    expect(document).toMatchObject({
      corrupt: 2,
      corrupt_lines: [
        { file: 'journal.ndjson', line: 2, why: 'not-json' },
        { file: 'journal.ndjson', line: 3, why: 'not-a-record' },
      ],
    });
    expect(run(['history']).stderr).toBe(
      'skipped 2 lines of the journal that cannot be read: journal.ndjson:2 (not-json), journal.ndjson:3 (not-a-record)\n',
    );
  });

  it('however many they are, the answer stays short', () => {
    const { json, run } = withJournal(makeFleet(), 'torn {\n'.repeat(50_000));
    const { document } = json(['history']);
    expect(document.corrupt).toBe(50_000);
    expect(document.corrupt_lines).toHaveLength(100);
    expect(run(['history']).stderr.length).toBeLessThan(500);
  });

  it('a journal of somebody else is exit 3: what it tells is missing', () => {
    const fleet = withJournal(makeFleet('lane-a'), line());
    chmodSync(journalOf(fleet), 0o600);
    const { code, stderr } = fleet.run(['history'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('.fleet/journal.ndjson cannot be read');
  });

  it('a name that is not in it may all the same be in what cannot be read', () => {
    const fleet = withJournal(makeFleet('lane-a'), line());
    renameSync(journalOf(fleet), journalOf(fleet, 'journal.1.ndjson'));
    mkdirSync(journalOf(fleet));
    const { code } = fleet.run(['history', '-p', 'lane-gone']);
    expect(code).toBe(3);
  });

  it('text that is more than text is made visible, and exact as JSON', () => {
    const evil = 'a\u001b[2Jb\nc\u202ed';
    const text = line({
      event: evil,
      profile: evil,
      holds: [{ id: evil, holder: evil, reason: evil }],
      actor: { user: evil, host: evil, pid: 1, via: evil },
    });
    const { run, json } = withJournal(makeFleet(), text);
    const { stdout } = run(['history'], { env: { COLUMNS: '400' } });
    expect(stdout).not.toMatch(UNSAFE);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(json(['history']).document.records[0]).toMatchObject({ event: evil, profile: evil });
    expect(run(['history', '--json']).stdout).not.toMatch(UNSAFE);
  });
});

describe('what is mistaken is refused', () => {
  it.each([
    ['no duration', ['--since', 'yesterday']],
    ['no count', ['--limit', '0']],
    ['a count that is none', ['--limit', 'ten']],
    ['a stray word', ['lane-a']],
    ['a name that is none', ['-p', '../x']],
  ])('%s', (_what, words) => {
    const { code, stderr } = makeFleet('lane-a').run(['history', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain('no history');
  });
});

it('the document has these keys and no others', () => {
  const fleet = makeFleet('lane-a');
  fleet.run(['pause', '-p', 'lane-a', '--ttl', '1h', '--reason', 'why']);
  appendFileSync(journalOf(fleet), 'torn {\n');
  mkdirSync(journalOf(fleet, 'journal.1.ndjson'));
  place(fleet.sentinel(), '');
  expect(keyPathsOf(fleet.json(['history']).document)).toMatchInlineSnapshot(`
    [
      "corrupt",
      "corrupt_lines",
      "corrupt_lines[].file",
      "corrupt_lines[].line",
      "corrupt_lines[].why",
      "omitted",
      "records",
      "records[].actor",
      "records[].actor.host",
      "records[].actor.pid",
      "records[].actor.user",
      "records[].actor.via",
      "records[].at",
      "records[].event",
      "records[].generation",
      "records[].holds",
      "records[].holds[].expires_at",
      "records[].holds[].holder",
      "records[].holds[].id",
      "records[].holds[].reason",
      "records[].kind",
      "records[].operation",
      "records[].profile",
      "records[].scope",
      "root",
      "root_source",
      "schema",
      "skipped",
      "unreadable",
      "unreadable[].file",
      "unreadable[].why",
      "vanished",
    ]
  `);
});
