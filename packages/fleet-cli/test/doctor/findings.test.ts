/**
 * `fleet doctor`: what it finds wrong with a fleet, and that it writes nothing while it looks.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  aheadByHours,
  inSeconds,
  makeFleet,
  PASSED,
  place,
  spoilProfiles,
  UNSAFE,
} from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';
import { examine, snapshotOf } from './fleets.ts';

const isSuperuser = process.getuid?.() === 0;

describe('a fleet in order', () => {
  it('has no problem: exit 0, and every examination says so', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause', '-p', 'lane-a', '--ttl', '1h']);
    const { code, document } = examine(fleet);
    expect(code).toBe(0);
    expect(document).toMatchObject({ problems: 0, unexamined: 0, repaired: [] });
    const checks = new Set(document.findings.map(({ check }: { check: string }) => check));
    expect([...checks].sort()).toEqual([
      'access',
      'clock',
      'file-system',
      'journal',
      'lanes',
      'leftovers',
      'notices',
      'receipts',
      'restarts',
      'root',
      'sentinels',
      'settings',
      'token',
      'watcher',
      'work',
    ]);
  });

  it('is a place where nothing is recorded yet', () => {
    const { code, found } = examine(makeFleet());
    expect(code).toBe(0);
    expect(found('access')).toMatchObject([{ level: 'note' }]);
    expect(found('lanes')).toMatchObject([{ level: 'note', what: 'the fleet has no profile' }]);
  });
});

describe('who may pause', () => {
  it('everybody is a problem', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    chmodSync(fleet.folder('lane-a'), 0o777);
    const { code, found } = examine(fleet);
    expect(code).toBe(1);
    expect(found('access')).toContainEqual(
      expect.objectContaining({
        level: 'problem',
        where: fleet.folder('lane-a'),
        what: expect.stringContaining('0777'),
        todo: `chmod o-w ${fleet.folder('lane-a')}`,
      }),
    );
  });

  it('a group that does not get what is made there is a warning', () => {
    const fleet = makeFleet('lane-a');
    chmodSync(fleet.root, 0o775);
    expect(examine(fleet).found('access')).toContainEqual(
      expect.objectContaining({ level: 'warning', where: fleet.root }),
    );
    chmodSync(fleet.root, 0o2775);
    expect(examine(fleet).found('access')).not.toContainEqual(
      expect.objectContaining({ level: 'warning', where: fleet.root }),
    );
  });

  it('records that everybody may read are a warning', () => {
    const fleet = makeFleet();
    const records = join(fleet.root, '.fleet');
    mkdirSync(records, { mode: 0o755 });
    expect(examine(fleet).found('access')).toMatchObject([{ level: 'warning', where: records }]);
  });

  it('a file in place of the records’ folder is a problem', () => {
    const fleet = makeFleet();
    writeFileSync(join(fleet.root, '.fleet'), '');
    const { code, found } = examine(fleet);
    expect(code).not.toBe(0);
    expect(found('access')).toMatchObject([{ level: 'problem' }]);
  });

  it('a profile that this user may not enter is not examined: exit 3', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    chmodSync(fleet.folder('lane-a'), 0o700);
    const { code, found } = examine(fleet, [], { ordinary: true });
    expect(code).toBe(3);
    const unexamined = { level: 'problem', unexamined: true, where: fleet.folder('lane-a') };
    expect(found('access')).toContainEqual(expect.objectContaining(unexamined));
    expect(found('leftovers')).toContainEqual(expect.objectContaining(unexamined));
    expect(found('sentinels')).toMatchObject([{ unexamined: true }]);
  });

  it('a fleet of another user may be looked at, and is not paused by this one', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    chownSync(fleet.root, 1, 1);
    const { code, found } = examine(fleet, [], { ordinary: true });
    expect(code).toBe(0);
    expect(found('access')).toContainEqual(
      expect.objectContaining({ level: 'note', what: expect.stringContaining('uid 1') }),
    );
    expect(found('access')).toContainEqual(
      expect.objectContaining({ level: 'warning', where: fleet.root }),
    );
  });
});

describe('what lies in the place of a sentinel', () => {
  it.each([
    ['a folder', 'a folder', (path: string) => mkdirSync(path)],
    ['a FIFO', 'a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
    ['a link', 'a symbolic link', (path: string) => symlinkSync('elsewhere', path)],
    ['a torn file', 'not JSON', (path: string) => place(path, 'torn {')],
    ['a huge file', 'larger', (path: string) => place(path, 'x'.repeat(70_000))],
  ])('%s is a problem, with the command that lifts it', (_what, words, put) => {
    const fleet = makeFleet('lane-a');
    put(fleet.sentinel('lane-a'));
    const { code, found } = examine(fleet);
    expect(code).toBe(1);
    expect(found('sentinels')).toMatchObject([
      {
        level: 'problem',
        where: fleet.sentinel('lane-a'),
        what: expect.stringContaining(words),
        todo: `lift it: fleet resume --root ${fleet.root} -p lane-a`,
      },
    ]);
  });

  it('an empty file is a pause like any other', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), '');
    const { code, found } = examine(fleet);
    expect([code, found('sentinels')]).toEqual([0, []]);
  });

  it('what has expired and is still there is a warning', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { expires_at: PASSED });
    const { code, found } = examine(fleet);
    expect(code).toBe(0);
    expect(found('sentinels')).toMatchObject([{ level: 'warning', todo: 'fleet doctor --fix' }]);
  });

  it('and a problem where this user may not remove it, so that it holds on', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { expires_at: PASSED });
    const { code, found } = examine(fleet, [], { ordinary: true });
    expect(code).toBe(1);
    expect(found('sentinels')).toMatchObject([{ level: 'problem' }]);
  });

  it('a deadline that is none is a warning', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { holds: [{ id: 'x', expires_at: 'tomorrow' }] });
    expect(examine(fleet).found('sentinels')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('`tomorrow`') },
    ]);
  });
});

describe('lanes', () => {
  it('a folder that is none is a warning', () => {
    const fleet = makeFleet('lane-a', 'Not A Lane');
    expect(examine(fleet).found('lanes')).toMatchObject([
      { level: 'warning', where: fleet.folder('Not A Lane') },
    ]);
  });

  it('that cannot be listed are not examined: exit 3', () => {
    const fleet = makeFleet();
    spoilProfiles(fleet.root);
    const { code, found } = examine(fleet);
    expect(code).toBe(3);
    expect(found('lanes')).toMatchObject([{ level: 'problem', unexamined: true }]);
  });
});

describe('settings', () => {
  it('are problems with file, line and column, and what was expected', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    const [settings, profile] = [
      join(fleet.root, 'fleet.yaml'),
      join(fleet.folder('lane-a'), 'profile.yaml'),
    ];
    writeFileSync(settings, 'version: 1\nobserve: sometimes\n');
    writeFileSync(profile, 'version: 1\nlabel:\n  tier: gold\n');
    writeFileSync(join(fleet.folder('lane-b'), 'profile.yaml'), 'version: 1\n');
    const { code, found } = examine(fleet);
    expect(code).toBe(1);
    expect(found('settings')).toMatchObject([
      {
        level: 'problem',
        where: settings,
        line: 2,
        column: 10,
        what: expect.stringContaining('expected'),
      },
      {
        level: 'problem',
        where: profile,
        line: 2,
        column: 1,
        todo: expect.stringContaining('labels'),
      },
    ]);
    expect(fleet.run(['doctor']).stdout).toContain(`${settings}:2:10\n`);
  });

  it('that cannot be read are not examined: exit 3', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    writeFileSync(join(fleet.root, 'fleet.yaml'), 'version: 1\n', { mode: 0o600 });
    const { code, found } = examine(fleet, [], { ordinary: true });
    expect(code).toBe(3);
    expect(found('settings')).toMatchObject([{ level: 'problem', unexamined: true }]);
  });
});

describe('the clock', () => {
  it('a hold that began in the future is a warning, and one a minute ahead is none', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    place(fleet.sentinel('lane-a'), { holds: [{ id: 'x', engaged_at: inSeconds(3600) }] });
    place(fleet.sentinel('lane-b'), { holds: [{ id: 'x', engaged_at: inSeconds(60) }] });
    expect(examine(fleet).found('clock')).toMatchObject([
      { level: 'warning', where: fleet.sentinel('lane-a') },
    ]);
  });

  it('one that was set since the deadline of a hold was set is a warning', ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux names its boot');
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a', '--ttl', '1h']);
    expect(examine(fleet).found('clock')).toEqual([]);
    expect(examine(fleet, [], aheadByHours(2)).found('clock')).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        where: fleet.sentinel('lane-a'),
        what: expect.stringContaining('was moved 2h forward'),
      }),
    );
  });

  it('a file that was written in the future is a warning', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), '');
    const later = Date.now() / 1000 + 3600;
    utimesSync(fleet.sentinel('lane-a'), later, later);
    expect(examine(fleet).found('clock')).toMatchObject([
      { level: 'warning', where: fleet.sentinel('lane-a') },
    ]);
  });
});

describe('file systems', () => {
  it('one that is kept in memory is a warning', ({ skip }) => {
    const { status } = spawnSync('stat', ['-f', '-c', '%T', '/dev/shm'], { encoding: 'utf8' });
    skip(status !== 0, 'there is no /dev/shm here');
    const fleet = makeFleet('lane-a');
    symlinkSync('/dev/shm', fleet.folder('lane-b'));
    const [memory] = examine(fleet).found('file-system');
    expect(memory).toMatchObject({
      level: 'warning',
      where: fleet.folder('lane-b'),
      what: expect.stringContaining('a restart of the host removes every hold'),
    });
  });
});

describe('the journal', () => {
  it('lines that cannot be read are a warning, at the first of them', () => {
    const fleet = makeFleet();
    fleet.run(['pause']);
    const journal = join(fleet.root, '.fleet', 'journal.ndjson');
    writeFileSync(journal, 'torn {\ntorn {\n', { flag: 'a' });
    const { code, found } = examine(fleet);
    expect(code).toBe(0);
    expect(found('journal')).toMatchObject([
      { level: 'warning', where: journal, line: 2, what: expect.stringContaining('2 lines') },
    ]);
  });
});

it('looking writes nothing, whatever is found', () => {
  const fleet = makeFleet('lane-a', 'lane-b', 'Not A Lane');
  fleet.run(['pause', '-p', 'lane-a']);
  place(fleet.sentinel('lane-b'), { expires_at: PASSED });
  mkdirSync(join(fleet.folder('lane-a'), '.ESTOP.txn', 'gone.4194305.b.0'), { recursive: true });
  mkdirSync(join(fleet.root, '.ESTOP.odd-gone.4194305.b.0'));
  writeFileSync(join(fleet.root, '.ESTOP.stage-gone.4194305.b.0'), '');
  writeFileSync(join(fleet.root, 'fleet.yaml'), 'version: 1\n');
  writeFileSync(join(fleet.root, '.fleet', 'journal.ndjson'), 'torn', { flag: 'a' });
  const before = snapshotOf(fleet.root);
  fleet.run(['doctor']);
  fleet.run(['doctor', '--json']);
  expect(snapshotOf(fleet.root)).toEqual(before);
});

describe('what is shown', () => {
  it('fits 80 columns but for paths, the worst first, with nothing in it that a terminal obeys', () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'x\u001b[31m\u202ey');
    place(fleet.sentinel('lane-a'), 'torn {');
    place(fleet.sentinel('lane-b'), { holds: [{ id: 'x', expires_at: 'a\u001b[2Jb\nc' }] });
    const { code, stdout, stderr } = fleet.run(['doctor']);
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(UNSAFE);
    for (const line of stdout.split('\n')) {
      if (!line.includes(fleet.root)) expect(line.length).toBeLessThanOrEqual(80);
    }
    const levels = [...stdout.matchAll(/^(PROBLEM|warning|note|ok) /gm)].map(([, level]) => level);
    const order = ['PROBLEM', 'warning', 'note', 'ok'];
    expect(levels).toEqual(
      levels.toSorted((a, b) => order.indexOf(a ?? '') - order.indexOf(b ?? '')),
    );
    expect(stdout.split('\n')[0]).toMatch(/^1 problem, \d+ warnings?$/);
  });

  it('and the document has these keys and no others', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { expires_at: PASSED });
    expect(keyPathsOf(examine(fleet, ['--fix']).document)).toMatchInlineSnapshot(`
      [
        "candidates",
        "candidates[].chosen",
        "candidates[].path",
        "candidates[].source",
        "candidates[].state",
        "findings",
        "findings[].check",
        "findings[].column",
        "findings[].level",
        "findings[].line",
        "findings[].todo",
        "findings[].unexamined",
        "findings[].what",
        "findings[].where",
        "problems",
        "repaired",
        "repaired[].what",
        "repaired[].where",
        "root",
        "root_source",
        "schema",
        "skipped",
        "unexamined",
        "warnings",
      ]
    `);
  });
});

it.each([
  ['a stray word', ['lane-a']],
  ['a profile', ['-p', 'lane-a']],
  ['an unknown option', ['--repair']],
])('%s is refused', (_what, words) => {
  const { code, stderr } = makeFleet('lane-a').run(['doctor', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain('NOT examined');
});
