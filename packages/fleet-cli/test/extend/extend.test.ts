/**
 * `fleet extend`: a deadline is moved, and nothing else is.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  exists,
  inSeconds,
  linesOf,
  makeFleet,
  PASSED,
  place,
  UNSAFE,
} from '../support/fleet.ts';

const HOUR_MS = 3_600_000;

describe('the deadline moves, and everything else stays', () => {
  it('reason, allowlist, start, actor and unknown fields of the hold; all of the others’', () => {
    const { json, sentinel } = makeFleet('a');
    const actor = { user: 'ops', host: 'h', pid: 7, via: 'tool' };
    const mine = {
      id: 'mine',
      holder: 'operator',
      reason: 'why',
      engaged_at: '2026-01-01T00:00:00+00:00',
      expires_at: inSeconds(600),
      allow: { user_ids: ['u1'], profiles: ['a'] },
      actor,
      ticket: 42,
    };
    const theirs = { id: 'theirs', holder: 'sre', reason: 'other', x: { y: [1] } };
    place(sentinel(), { generation: 'g', holds: [theirs, mine], note: 'kept' });
    const { code, document } = json(['extend', '--ttl', '2h']);
    expect(code).toBe(0);
    const body = bodyOf(sentinel());
    const [other, moved] = body.holds;
    expect(other).toEqual(theirs);
    expect(body.note).toBe('kept');
    const { id, expires_at, clock } = moved;
    expect(moved).toEqual({ ...mine, id, expires_at, clock });
    expect(Date.parse(moved.expires_at) - Date.now()).toBeGreaterThan(1.9 * HOUR_MS);
    expect(document.results[0]).toMatchObject({
      extended: true,
      why: null,
      replaced: 'mine',
      previous_expires_at: mine.expires_at,
      shortened: false,
      generation: body.generation,
      hold: { id: moved.id, expires_at: moved.expires_at, actor },
    });
  });

  it('is said with both deadlines, the new id and how to lift it', () => {
    const { root, run, sentinel } = makeFleet('a');
    run(['pause', '--ttl', '1h', '--reason', 'why']);
    const { code, stdout, stderr } = run(['extend', '--ttl', '2h']);
    const [hold] = bodyOf(sentinel()).holds;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.replace(/\d{4}-.*/, 'T'))).toEqual([
      'EXTENDED the whole fleet',
      `  root       ${root} (--root)`,
      `  sentinel   ${sentinel()}`,
      '  holder     operator',
      `  hold       ${hold.id}`,
      '  reason     why',
      '  was until  T',
      '  until      T',
      `  lift with  fleet resume --root ${root}`,
      expect.stringMatching(/^ {2}operation {2}op-[0-9a-f]{12}$/),
      '',
    ]);
  });

  it('is recorded as a re-arm, by whoever extended', () => {
    const { root, run } = makeFleet('a');
    run(['pause', '-p', 'a', '--ttl', '1h']);
    run(['extend', '-p', 'a', '--ttl', '2h']);
    const [, entry] = linesOf(`${root}/.fleet/journal.ndjson`);
    expect(entry).toMatchObject({
      event: 're-arm',
      profile: 'a',
      holds: [{ holder: 'operator' }],
      actor: { via: 'fleet extend' },
    });
  });

  it('--as names whose hold, --hold which one, whoever holds it', () => {
    const { json, run, sentinel } = makeFleet('a');
    run(['pause', '--ttl', '1h']);
    run(['pause', '--as', 'deploy', '--ttl', '1h']);
    const before = bodyOf(sentinel()).holds;
    json(['extend', '--as', 'deploy', '--ttl', '2h']);
    expect(bodyOf(sentinel()).holds[0]).toEqual(before[0]);
    json(['extend', '--hold', before[0].id, '--until', '2999-01-01T00:00:00Z']);
    expect(
      bodyOf(sentinel())
        .holds.map((hold: { holder: string }) => hold.holder)
        .sort(),
    ).toEqual(['deploy', 'operator']);
    const moved = bodyOf(sentinel()).holds.find(
      ({ holder }: { holder: string }) => holder === 'operator',
    );
    expect(moved.expires_at).toBe('2999-01-01T00:00:00.000+00:00');
  });

  it('a hold that a file without a generation carries is not touched, and the way out is named', () => {
    const { run, sentinel } = makeFleet('a');
    const text = JSON.stringify({ holds: [{ id: 'x', holder: 'operator' }] });
    place(sentinel(), text);
    const { code, stderr } = run(['extend', '--ttl', '1h']);
    expect(code).toBe(1);
    expect(stderr).toContain('fleet pause --ttl');
    expect(JSON.stringify(bodyOf(sentinel()))).toBe(text);
  });
});

describe('what --shorten makes shorter is said', () => {
  it('a hold without a deadline gets one', () => {
    const { json, run } = makeFleet('a');
    run(['pause']);
    const { code, stdout, stderr } = run(['extend', '--ttl', '1h', '--shorten']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^SHORTENED the whole fleet/);
    expect(stderr).toMatch(/was SHORTENED: until lifted before, until \d{4}-.* now/);
    run(['pause', '--no-ttl']);
    expect(json(['extend', '--ttl', '1h', '--shorten']).document.results[0]).toMatchObject({
      shortened: true,
      previous_expires_at: null,
    });
  });

  it('an earlier deadline', () => {
    const { run } = makeFleet('a');
    run(['pause', '--ttl', '2h']);
    expect(run(['extend', '--ttl', '1h', '--shorten']).stderr).toContain('was SHORTENED: until ');
  });

  it('a deadline that could not be read, and so never came', () => {
    const { run, sentinel } = makeFleet('a');
    const old = { id: 'o', holder: 'operator', expires_at: 'soon' };
    place(sentinel(), { generation: 'g', holds: [old] });
    const words = ['extend', '--ttl', '1h', '--shorten'];
    expect(run(words).stderr).toContain('SHORTENED: until lifted before');
  });
});

const NOT_EXTENDED: readonly (readonly [string, unknown, readonly string[], RegExp])[] = [
  ['nothing holds', null, [], /nothing holds it/],
  [
    'the hold has expired',
    {
      generation: 'g',
      expires_at: PASSED,
      holds: [{ id: 'o', holder: 'operator', expires_at: PASSED }],
    },
    [],
    /has ended already/,
  ],
  [
    'one’s own hold has expired beside another’s',
    {
      generation: 'g',
      holds: [
        { id: 'o', holder: 'operator', expires_at: PASSED },
        { id: 's', holder: 'sre' },
      ],
    },
    [],
    /there is no hold of `operator`[\s\S]*held by sre/,
  ],
  [
    'somebody else holds',
    { generation: 'g', holds: [{ id: 's', holder: 'sre', reason: 'mine' }] },
    [],
    /there is no hold of `operator`[\s\S]*held by sre: mine/,
  ],
  [
    'another id holds',
    { generation: 'g', holds: [{ id: 's', holder: 'sre' }] },
    ['--hold', 'x'],
    /no hold `x`/,
  ],
  ['an empty file holds', '', [], /no hold of `operator`|cannot be|empty/],
  [
    'an older tool’s hold is named',
    { generation: 'g', reason: 'old' },
    ['--hold', 'ANON'],
    /is anonymous: an older tool/,
  ],
  [
    'a holder has two holds, which an in-place edit can leave',
    {
      generation: 'g',
      holds: [
        { id: '1', holder: 'operator' },
        { id: '2', holder: 'operator', allow: { user_ids: ['u'] } },
      ],
    },
    [],
    /two holds there/,
  ],
];

describe('where that hold does not stand, "NOT extended" with exit 1, and none is placed', () => {
  it.each(NOT_EXTENDED)('%s', (_what, body, words, said) => {
    const { json, run, sentinel } = makeFleet('a');
    if (body !== null) place(sentinel(), body);
    const before = body === null ? null : JSON.stringify(body);
    const given = words.map((word) =>
      word === 'ANON' ? json(['status']).document.scopes[0].holds[0].id : word,
    );
    const { code, stdout, stderr } = run(['extend', '--ttl', '1h', ...given]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^NOT extended: the whole fleet: /);
    expect(stderr).toMatch(said);
    expect(exists(sentinel())).toBe(body !== null);
    if (typeof body === 'object' && body !== null) {
      expect(JSON.stringify(bodyOf(sentinel()))).toBe(before);
    }
  });

  it('what this user may not read is exit 3: that hold may stand there', () => {
    const { run, sentinel } = makeFleet('a');
    place(sentinel(), { reason: 'x' });
    chmodSync(sentinel(), 0);
    const { code, stderr } = run(['extend', '--ttl', '1h'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('EACCES');
  });

  it('what is no body is 1: no hold of that name is in it', () => {
    const { run, sentinel } = makeFleet('a');
    place(sentinel(), '{');
    expect(run(['extend', '--ttl', '1h']).code).toBe(1);
  });

  it('one profile without that hold does not keep the others from it', () => {
    const { run, json } = makeFleet('a', 'b');
    run(['pause', '-p', 'b', '--ttl', '1h']);
    const { code, document } = json(['extend', '-p', 'a', '-p', 'b', '--ttl', '2h']);
    expect(code).toBe(1);
    expect(document.results).toMatchObject([
      { profile: 'a', extended: false, why: 'absent', hold: null },
      { profile: 'b', extended: true },
    ]);
    const [failed, done] = document.results.map((result: object) => Object.keys(result));
    expect(failed).toEqual(done);
  });

  it('a folder that this user may not write: exit 1, and the old deadline stands', () => {
    const { run, sentinel } = makeFleet('a');
    run(['pause', '-p', 'a', '--ttl', '1h']);
    const before = bodyOf(sentinel('a'));
    const { code, stderr } = run(['extend', '-p', 'a', '--ttl', '2h'], { ordinary: true });
    expect(code).toBe(1);
    expect(stderr).toContain('this user may not write there (EACCES)');
    expect(bodyOf(sentinel('a'))).toEqual(before);
  });
});

const WRONG: readonly (readonly [string, readonly string[]])[] = [
  ['no deadline', []],
  ['both kinds of deadline', ['--ttl', '1h', '--until', '2999-01-01T00:00:00Z']],
  ['no duration', ['--ttl', 'soon']],
  ['an instant without an offset', ['--until', '2999-01-01T00:00:00']],
  ['an instant that has passed', ['--until', '2020-01-01T00:00:00Z']],
  ['a deadline beyond all dates', ['--ttl', '99999999999d']],
  ['--no-ttl', ['--no-ttl']],
  ['a reason', ['--ttl', '1h', '--reason', 'x']],
  ['--hold with --as', ['--ttl', '1h', '--hold', 'x', '--as', 'y']],
  ['an unknown profile', ['--ttl', '1h', '-p', 'nope']],
  ['absent profiles only', ['--ttl', '1h', '-p', 'nope', '--allow-missing']],
  ['the root’s own lane', ['--ttl', '1h', '-p', 'default']],
  ['a stray word', ['--ttl', '1h', 'a']],
];

describe('a mistaken `extend` exits 2 with "NOT extended", and moves nothing', () => {
  it.each(WRONG)('%s', (_what, words) => {
    const { run, sentinel } = makeFleet('a');
    run(['pause', '--ttl', '1h']);
    const before = bodyOf(sentinel());
    const { code, stdout, stderr } = run(['extend', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT extended: /);
    expect(bodyOf(sentinel())).toEqual(before);
  });
});

describe('what files say reaches a terminal only as text', () => {
  it('a reason, a holder and an id with control characters', () => {
    const { run, sentinel } = makeFleet('a');
    const nasty = 'x\u001b[2J\u202e\n::error::y';
    place(sentinel(), { generation: 'g', holds: [{ id: nasty, holder: nasty, reason: nasty }] });
    for (const words of [
      ['--ttl', '1h'],
      ['--ttl', '1h', '--hold', 'z'],
    ]) {
      const { stdout, stderr } = run(['extend', ...words]);
      expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(UNSAFE);
      expect(`${stdout}${stderr}`).not.toMatch(/^::error/m);
    }
  });

  it('a journal that cannot be written is said, and the deadline is moved', () => {
    const { root, run, json } = makeFleet('a');
    run(['pause', '--ttl', '1h']);
    rmSync(join(root, '.fleet'), { recursive: true });
    writeFileSync(join(root, '.fleet'), 'in the way');
    const { code, document } = json(['extend', '--ttl', '2h']);
    expect({ code, extended: document.results[0].extended }).toEqual({ code: 0, extended: true });
    expect(run(['extend', '--ttl', '3h']).stderr).toContain('not recorded in the journal');
  });
});
