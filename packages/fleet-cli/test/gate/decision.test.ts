/**
 * Whom `fleet gate` lets through, and what it says to whoever is refused.
 */
import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  everythingBelow,
  exists,
  inSeconds,
  makeFleet,
  PASSED,
  place,
  runFleet,
  runInShell,
  shareFleet,
  spoil,
  spoilProfiles,
} from '../support/fleet.ts';

const docs = readFileSync(new URL('../../../../docs/json.md', import.meta.url), 'utf8');
const isSuperuser = process.getuid?.() === 0;

describe('the answer is the exit status', () => {
  it.each<[string, number, unknown, unknown, readonly string[]]>([
    ['nothing holds', 0, null, null, []],
    ['the root is held', 75, { reason: 'x' }, null, []],
    ['the root is held, asked for a lane', 75, { reason: 'x' }, null, ['-p', 'lane-a']],
    ['the lane is held', 75, null, { reason: 'x' }, ['-p', 'lane-a']],
    ['the lane is held, asked for the root', 0, null, { reason: 'x' }, []],
    ['the lane is held, asked for another', 0, null, { reason: 'x' }, ['-p', 'lane-b']],
    ['an empty file', 75, '', null, []],
    ['a torn body', 75, 'torn {', null, []],
    ['an expired hold', 0, { expires_at: PASSED }, null, []],
    ['a deadline to come', 75, { expires_at: inSeconds(3_600) }, null, []],
    ['an allowlist, and nobody named', 75, { allow: { user_ids: ['u1'] } }, null, []],
    [
      'an allowlist that names the user',
      0,
      { allow: { user_ids: ['u1'] } },
      null,
      ['--user', 'u1'],
    ],
    [
      'an allowlist that names another',
      75,
      { allow: { user_ids: ['u1'] } },
      null,
      ['--user', 'u2'],
    ],
    [
      'an allowlist for this profile',
      0,
      { allow: { user_ids: ['u1'], profiles: ['lane-a'] } },
      null,
      ['--user', 'u1', '-p', 'lane-a'],
    ],
    [
      'an allowlist for another profile',
      75,
      { allow: { user_ids: ['u1'], profiles: ['lane-a'] } },
      null,
      ['--user', 'u1', '-p', 'lane-b'],
    ],
    [
      'an allowlist for the root’s own lane',
      0,
      { allow: { user_ids: ['u1'], profiles: ['default'] } },
      null,
      ['--user', 'u1', '-p', 'default'],
    ],
    ['a profile name is no user', 75, { allow: { user_ids: ['u1'] } }, null, ['--user', 'lane-a']],
  ])('%s: %d', (_what, code, root, lane, words) => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    if (root !== null) place(sentinel(), root);
    if (lane !== null) place(sentinel('lane-a'), lane);
    const outcome = run(['gate', ...words]);
    expect(outcome.code).toBe(code);
    expect(outcome.stdout !== '').toBe(code === 0);
    expect(outcome.stderr !== '').toBe(code !== 0);
    const ran = run(['gate', ...words, '--', 'echo', 'ran']);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toBe(code === 0 ? 'ran\n' : '');
  });

  it('it writes nothing, and removes not even what has expired', () => {
    const { run, root, sentinel } = makeFleet('lane-a');
    place(sentinel(), { expires_at: PASSED });
    place(sentinel('lane-a'), { reason: 'x' });
    const before = everythingBelow(root);
    run(['gate']);
    run(['gate', '-p', 'lane-a', '--', 'true']);
    expect(everythingBelow(root)).toEqual(before);
  });
});

describe('the notice', () => {
  it('says where, by whom, why, until when and how to lift it', () => {
    const { root, run } = makeFleet('lane-a');
    run(['pause', '--reason', 'bad deploy', '--until', '2999-01-01T00:00:00Z']);
    run(['pause', '-p', 'lane-a', '--as', 'sre', '--reason', 'disk']);
    const { stderr, stdout } = run(['gate', '-p', 'lane-a', '--door', 'cron', '--', 'echo', 'ran']);
    expect(stdout).toBe('');
    expect(stderr).toContain('REFUSED lane-a at the door `cron`: paused by 2 holds');
    expect(stderr).toContain('lane-a by sre: disk');
    expect(stderr).toContain('(root) by operator: bad deploy');
    expect(stderr).toContain('2999-01-01 00:00:00 UTC');
    expect(stderr).toContain(`fleet resume --root ${root} -p lane-a --as sre`);
  });

  it('names only the holds that refuse, and says for whom', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--allow-user', 'u1', '--reason', 'open for u1']);
    run(['pause', '-p', 'lane-a', '--allow-user', 'u2', '--reason', 'open for u2']);
    const { stderr } = run(['gate', '-p', 'lane-a', '--user', 'u1']);
    expect(stderr).toContain('paused by 1 hold');
    expect(stderr).toContain('open for u2');
    expect(stderr).not.toContain('open for u1');
    expect(stderr).toContain('not for `u1` (user-not-listed)');
  });

  it('hidden characters of a reason are shown and not sent', () => {
    const { run, sentinel } = makeFleet();
    place(sentinel(), { reason: 'a\u001b[2Jb\u202ec\nd' });
    const { stderr } = run(['gate']);
    expect(stderr).toContain('a\\u{1b}[2Jb\\u{202e}c\\u{a}d');
  });

  it('a state that cannot be read is said to count as held', () => {
    const { run, sentinel } = makeFleet();
    spoil(sentinel());
    const { code, stderr } = run(['gate']);
    expect(code).toBe(75);
    expect(stderr).toContain('cannot be read, and counts as held');
  });

  it.skipIf(!isSuperuser)('so is a folder that this user may not enter (needs root)', () => {
    const { run, folder, root } = makeFleet('lane-a');
    chmodSync(folder('lane-a'), 0o700);
    const lane = run(['gate', '-p', 'lane-a', '--', 'echo', 'ran'], { ordinary: true });
    expect(lane).toMatchObject({ code: 75, stdout: '' });
    expect(lane.stderr).toContain('cannot be read, and counts as held');
    // The folder above the root: not even the root can be reached.
    chmodSync(root, 0o700);
    const inner = join(root, 'profiles');
    chownSync(root, 0, 0);
    const refused = runFleet(['gate', '--root', inner, '--json'], { ordinary: true });
    expect(refused.code).toBe(75);
    expect(refused.stderr).toContain('REFUSED: what holds is unknown');
    expect(JSON.parse(refused.stdout)).toMatchObject({ schema: 'fleet/gate/v1', admitted: false });
  });
});

describe('where it cannot be told which profiles there are', () => {
  function unlistable() {
    const fleet = makeFleet();
    spoilProfiles(fleet.root);
    return fleet;
  }
  const BOTH: readonly (readonly [readonly string[]])[] = [
    [['-p', 'lane-a']],
    [['-l', 'tier=batch']],
  ];

  it.each(BOTH)('%j is refused, as what is held, and nothing is run', (words) => {
    const { run } = unlistable();
    const alone = run(['gate', ...words]);
    expect(alone).toMatchObject({ code: 75, stdout: '' });
    expect(alone.stderr).toMatch(/^REFUSED: what holds is unknown: .*ENOTDIR/);
    const wrapping = run(['gate', ...words, '--refused-code', '9', '--', 'echo', 'ran']);
    expect(wrapping).toMatchObject({ code: 9, stdout: '' });
  });

  it.each(BOTH)('%j has a document that says so', (words) => {
    const { run } = unlistable();
    const { code, stdout } = run(['gate', ...words, '--json']);
    expect(code).toBe(75);
    expect(JSON.parse(stdout)).toMatchObject({
      admitted: false,
      unknown: expect.stringContaining('ENOTDIR'),
    });
  });

  it.each(BOTH)('%j with a command line that is wrong is no refusal', (words) => {
    const { run } = unlistable();
    expect(run(['gate', ...words, '--wait', 'soon']).code).toBe(2);
    expect(run(['gate', ...words, '--json', '--', 'echo', 'ran'])).toMatchObject({
      code: 125,
      stdout: '',
    });
  });

  it('a selector that is none is a wrong command line all the same', () => {
    const { run } = unlistable();
    expect(run(['gate', '-l', '=x'])).toMatchObject({ code: 2, stdout: '' });
    expect(run(['gate', '-l', '=x', '--', 'echo', 'ran'])).toMatchObject({ code: 125, stdout: '' });
  });
});

describe('--refused-code', () => {
  it.each(['1', '75', '99', '255'])('%s is the status of a refusal', (code) => {
    const { run, sentinel } = makeFleet();
    place(sentinel(), '');
    expect(run(['gate', '--refused-code', code]).code).toBe(Number(code));
    expect(run(['gate', '--refused-code', code, '--', 'true']).code).toBe(Number(code));
    expect(run(['gate', '--refused-code', code, '-p', 'nope', '--', 'true']).code).toBe(125);
  });
});

describe('the status of the command is passed through', () => {
  const { run } = shareFleet('lane-a');
  const sh = (line: string) => ['sh', '-c', line];
  it.each([
    [0, sh('exit 0')],
    [1, sh('exit 1')],
    [7, sh('exit 7')],
    [75, sh('exit 75')],
    [125, sh('exit 125')],
    [255, sh('exit 255')],
    [143, sh('kill -TERM $$')],
    [130, sh('kill -INT $$')],
    [137, sh('kill -KILL $$')],
    [127, ['no-such-command']],
    [127, ['']],
    [126, ['/']],
  ])('%d', (code, words) => {
    const { code: got, stdout, stderr } = run(['gate', '--', ...words]);
    expect({ got, stdout }).toEqual({ got: code, stdout: '' });
    if (words[0] === 'sh') expect(stderr).toBe('');
    else expect(stderr).toMatch(/^NOT run: /);
  });

  it('a reader that goes away ends the command as it would without fleet', () => {
    const { root } = makeFleet();
    const line = '"$@" | head -1 >/dev/null; exit "$PIPESTATUS"';
    expect(runInShell(line, ['gate', '--root', root, '--', 'yes']).code).toBe(141);
    expect(runInShell(line, ['window', '--root', root, '--', 'yes']).code).toBe(141);
  });

  it('closed streams change nothing', () => {
    const { root, sentinel } = makeFleet();
    const closed = '"$@" <&- >&- 2>&-';
    for (const verb of ['gate', 'window']) {
      expect(runInShell(closed, [verb, '--root', root, '--', 'sh', '-c', 'exit 4']).code).toBe(4);
    }
    place(sentinel(), '');
    expect(runInShell(closed, ['gate', '--root', root, '--', 'true']).code).toBe(75);
    expect(runInShell('"$@" 2>/dev/full', ['gate', '--root', root, '--', 'true']).code).toBe(75);
  });

  it('a deleted working folder and an empty environment change nothing', () => {
    const { root } = makeFleet();
    const line = 'mkdir gone && cd gone && rmdir ../gone && exec env -i "$@"';
    for (const verb of ['gate', 'window']) {
      const words = [verb, '--root', root, '--', 'sh', '-c', 'exit 4'];
      expect(runInShell(line, words, { cwd: root }).code).toBe(4);
    }
  });
});

describe('a command line that fleet refuses', () => {
  const { run, root, folder } = shareFleet('lane-a');
  const ran = join(folder(), 'ran');
  const WRONG: readonly (readonly [string, readonly string[]])[] = [
    ['an unknown option', ['--frob']],
    ['an unknown profile', ['-p', 'nope']],
    ['two profiles', ['-p', 'lane-a', '-p', 'default']],
    ['an empty profile', ['-p', '']],
    ['an option of another verb', ['--allow-missing']],
    ['a door that is no name', ['--door', 'a b']],
    ['an empty user', ['--user', '']],
    ['a wait that is no duration', ['--wait', 'soon']],
    ['a wait of nothing', ['--wait', '0']],
    ['a refusal that reads as success', ['--refused-code', '0']],
    ['a refusal that is no status', ['--refused-code', '256']],
    ['a refusal that is no number', ['--refused-code', '7x']],
    ['a stray word', ['lane-a']],
  ];
  it.each(WRONG)(
    '%s is 2 without a command, and 125 with one, which is not run',
    (_what, words) => {
      const before = everythingBelow(root);
      const alone = run(['gate', ...words]);
      expect(alone).toMatchObject({ code: 2, stdout: '' });
      expect(alone.stderr).toMatch(/^NOT admitted: /);
      const wrapping = run(['gate', ...words, '--', 'touch', ran]);
      expect(wrapping).toMatchObject({ code: 125, stdout: '' });
      expect(everythingBelow(root)).toEqual(before);
    },
  );

  it.each([
    ['nothing after --', ['--']],
    ['--json with a command', ['--json', '--', 'touch', ran]],
    ['a word before --', ['lane-a', '--', 'touch', ran]],
  ])('%s is 125', (_what, words) => {
    expect(run(['gate', ...words])).toMatchObject({ code: 125, stdout: '' });
    expect(exists(ran)).toBe(false);
  });

  it('no such fleet is 2 without a command, and 125 with one', () => {
    const nowhere = ['gate', '--root', join(root, 'nowhere')];
    expect(runFleet(nowhere).code).toBe(2);
    expect(runFleet([...nowhere, '--', 'touch', ran]).code).toBe(125);
    expect(exists(ran)).toBe(false);
  });
});

describe('--json', () => {
  it('prints the decision, admitted or refused, with the same keys', () => {
    const { json, run } = makeFleet('lane-a');
    const free = json(['gate', '-p', 'lane-a']);
    expect(free).toMatchObject({
      code: 0,
      document: { schema: 'fleet/gate/v1', profile: 'lane-a', admitted: true, denials: [] },
    });
    run(['pause', '--reason', 'x']);
    const held = json(['gate', '-p', 'lane-a', '--user', 'u1', '--door', 'cron']);
    expect(held).toMatchObject({
      code: 75,
      document: {
        admitted: false,
        user: 'u1',
        door: 'cron',
        waited_ms: null,
        denials: [{ scope: { kind: 'root' }, hold: { reason: 'x' }, because: 'no-allowlist' }],
      },
    });
    expect(Object.keys(held.document)).toEqual(Object.keys(free.document));
    expect(held.document.scopes).toHaveLength(3);
    expect(docs).toContain('## `fleet/gate/v1`');
    for (const key of Object.keys(held.document)) expect(docs).toContain(`| \`${key}\` |`);
  });
});

describe('--quiet, as under cron, where each line is a mail', () => {
  it('says nothing at a refusal by a hold: the exit status tells', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--reason', 'x']);
    expect(run(['gate', '-p', 'lane-a', '--quiet'])).toEqual({ code: 75, stdout: '', stderr: '' });
    const words = ['gate', '--quiet', '--refused-code', '255', '--', 'true'];
    expect(run(words)).toEqual({ code: 255, stdout: '', stderr: '' });
  });

  it('still says what could not be read', () => {
    const { run, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const { code, stderr } = run(['gate', '-p', 'lane-a', '--quiet']);
    expect(code).toBe(75);
    expect(stderr).toContain('lane-a cannot be read');
  });
});
