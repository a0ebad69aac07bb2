/**
 * Mistaken command lines: never a wider scope than meant, never a write, always exit 2.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { everythingBelow, makeFleet, runFleet, shareFleet } from '../support/fleet.ts';

const WRONG_FOR_PAUSE: readonly (readonly [string, readonly string[]])[] = [
  ['a stray word', ['lane-a']],
  ['a stray word after --', ['--', 'lane-a']],
  ['an empty word', ['']],
  ['an empty profile', ['-p', '']],
  ['an empty profile with =', ['--profile=']],
  ['an empty reason', ['--reason', '']],
  ['an empty holder', ['--as', '']],
  ['an empty ttl', ['--ttl', '']],
  ['an empty user', ['--allow-user', '']],
  ['an empty color', ['--color', '']],
  ['a value that looks like an option', ['--reason', '-p', 'lane-a']],
  ['a flag in place of a reason', ['--reason', '--json']],
  ['a flag in place of a holder', ['--as', '--no-ttl']],
  ['a profile that looks like an option', ['-p', '--json']],
  ['-- in place of a value', ['--reason', '--']],
  ['= after a short option', ['-p=lane-a']],
  ['an option without its value', ['-p']],
  ['a reason given twice', ['--reason', 'a', '--reason', 'b']],
  ['the same reason given twice', ['--reason', 'a', '--reason=a']],
  ['a ttl given twice', ['--ttl', '1h', '--ttl', '2h']],
  ['a holder given twice', ['--as', 'a', '--as', 'b']],
  ['two roots', ['--root', '/']],
  ['two colours', ['--color', 'never', '--color', 'always']],
  ['an unknown colour', ['--color', 'blue']],
  ['an unknown option', ['--reson', 'x']],
  ['a label that no profile has', ['-l', 'tier=gold']],
  ['an option of another verb', ['--everyone']],
  ['a verb as a word', ['status']],
  ['an unknown profile', ['-p', 'lane-c']],
  ['an unknown profile after a known one', ['-p', 'lane-a', '-p', 'nope']],
  ['an unknown profile before a known one', ['-p', 'nope', '-p', 'lane-a']],
  ['a profile name that is a path', ['-p', '../lane-a']],
  ['a profile name that is a folder above', ['-p', '..']],
  ['a profile name that looks like a flag', ['-p', 'lane-a --json']],
  ['a profile name with capitals', ['-p', 'Lane-A']],
  ['the root’s own lane alone', ['-p', 'default']],
  ['the root’s own lane among others', ['-p', 'lane-a', '-p', 'default']],
  ['an unparsable ttl', ['--ttl', 'banana']],
  ['a ttl of nothing', ['--ttl', '0']],
  ['a ttl in capitals', ['--ttl', '45M']],
  ['a fractional ttl', ['--ttl', '1.5h']],
  ['ttl with until', ['--ttl', '1h', '--until', '2999-01-01T00:00:00Z']],
  ['ttl with no-ttl', ['--ttl', '1h', '--no-ttl']],
  ['no-ttl with ttl', ['--no-ttl', '--ttl', '1h']],
  ['until with no-ttl', ['--until', '2999-01-01T00:00:00Z', '--no-ttl']],
  ['allow-user with no-allow', ['--allow-user', 'u1', '--no-allow']],
  ['no-allow with allow-user', ['--no-allow', '--allow-user', 'u1']],
  ['allow-profile without allow-user', ['--allow-profile', 'lane-a']],
  ['allow-profile with no-allow', ['--allow-profile', 'lane-a', '--no-allow']],
  ['an unknown allow-profile', ['--allow-user', 'u1', '--allow-profile', 'lane-x']],
  ['an allow-profile that is no name', ['--allow-user', 'u1', '--allow-profile', '../x']],
  ['a user with space around', ['--allow-user', ' u1']],
  ['a user with a hidden character', ['--allow-user', 'u1\u200b']],
  ['a holder that is too long', ['--as', 'x'.repeat(65)]],
  ['a holder with a control character', ['--as', 'a\u001bb']],
  ['a holder with a line break', ['--as', 'a\nb']],
  ['a generation for several scopes', ['--if-generation', 'g', '-p', 'lane-a', '-p', 'lane-b']],
  ['allow-missing without a profile', ['--allow-missing']],
  ['a value for a flag', ['--json=yes']],
];

describe('a mistaken `pause` exits 2, says "NOT paused" first, and writes nothing anywhere', () => {
  const { root, run } = shareFleet('lane-a', 'lane-b');
  it.each(WRONG_FOR_PAUSE)('%s', (_what, words) => {
    const before = everythingBelow(root);
    const { code, stdout, stderr } = run(['pause', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT paused: /);
    expect(everythingBelow(root)).toEqual(before);
  });
});

const WRONG_FOR_RESUME: readonly (readonly [string, readonly string[]])[] = [
  ['a stray word', ['lane-a']],
  ['an empty profile', ['-p', '']],
  ['a holder that looks like an option', ['--as', '-p', 'lane-a']],
  ['an unknown profile', ['-p', 'lane-a', '-p', 'nope']],
  ['the root’s own lane', ['-p', 'default']],
  ['--hold with --as', ['--hold', 'x', '--as', 'y']],
  ['--hold with --everyone', ['--hold', 'x', '--everyone']],
  ['--everyone with --as', ['--everyone', '--as', 'y']],
  ['--hold given twice', ['--hold', 'x', '--hold', 'x']],
  ['an empty --hold', ['--hold', '']],
  ['a generation for several scopes', ['--if-generation', 'g', '-p', 'lane-a', '-p', 'lane-b']],
  ['--if-generation none', ['--if-generation', 'none']],
  ['an option of another verb', ['--reason', 'x']],
];

describe('a mistaken `resume` exits 2, says "NOT resumed" first, and lifts nothing', () => {
  const { root, run } = shareFleet('lane-a', 'lane-b');
  beforeAll(() => {
    run(['pause']);
    run(['pause', '-p', 'lane-a']);
  });
  it.each(WRONG_FOR_RESUME)('%s', (_what, words) => {
    const before = everythingBelow(root);
    const { code, stdout, stderr } = run(['resume', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT resumed: /);
    expect(everythingBelow(root)).toEqual(before);
  });
});

const WRONG_FOR_READERS: readonly (readonly [string, readonly string[]])[] = [
  ['status with a stray word', ['status', 'lane-a']],
  ['status of an unknown profile', ['status', '-p', 'nope']],
  ['status with a reason', ['status', '--reason', 'x']],
  ['explain with an empty user', ['explain', '--user', '']],
  ['explain with two users', ['explain', '--user', 'a', '--user', 'b']],
  ['explain of an unknown profile', ['explain', '-p', 'nope']],
  ['assert without a claim', ['assert']],
  ['assert of an unknown claim', ['assert', 'stopped']],
  ['assert with an empty claim', ['assert', '']],
  ['assert running with a stray profile', ['assert', 'running', 'lane-a']],
  ['assert paused with a stray profile', ['assert', 'paused', 'lane-a']],
  ['assert held-by nobody', ['assert', 'held-by']],
  ['assert held-by an empty name', ['assert', 'held-by', '']],
  ['assert held-by with a stray word', ['assert', 'held-by', 'x', 'y']],
  ['assert free-of nobody', ['assert', 'free-of', '-p', 'lane-a']],
  ['assert of an unknown profile', ['assert', 'running', '-p', 'nope']],
  ['assert of nothing but absent profiles', ['assert', 'paused', '-p', 'nope', '--allow-missing']],
  ['no verb', []],
  ['an empty verb', ['']],
  ['a mistyped verb', ['pasue']],
  ['an inherited name as a verb', ['constructor']],
  ['an option before the verb', ['-p', 'lane-a', 'pause']],
  ['an unknown option before the verb', ['--frob', 'status']],
  ['options without a verb', ['--json', '--quiet']],
];

describe('a mistaken call of any other kind exits 2 with nothing on stdout', () => {
  const { root, run } = shareFleet('lane-a', 'lane-b');
  it.each(WRONG_FOR_READERS)('%s', (_what, words) => {
    const { code, stdout, stderr } = run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(everythingBelow(root)).toEqual(['profiles', 'profiles/lane-a', 'profiles/lane-b']);
  });
});

describe('what is meant is said', () => {
  it('the offending value stands in backticks, and the nearest names are named', () => {
    const { run } = makeFleet('lane-a', 'lane-b', 'worker');
    const { stderr } = run(['pause', '-p', 'lan-a', '-p', 'wroker']);
    expect(stderr).toContain('`lan-a` (nearest: lane-a');
    expect(stderr).toContain('`wroker` (nearest: worker)');
  });

  it('a mistyped verb and a mistyped option are recognised', () => {
    const { run } = makeFleet();
    expect(run(['pasue']).stderr).toContain('did you mean pause?');
    expect(run(['pause', '--reson', 'x']).stderr).toContain('Did you mean --reason?');
  });

  it('a mistaken line that holds the word pause says that nothing is paused', () => {
    expect(makeFleet().run(['--frob', 'pause']).stderr).toMatch(/^NOT paused: /);
  });

  it('what could be an option is taken as a value after =', () => {
    const { run } = makeFleet();
    expect(run(['pause', '--reason=-p lane-a']).stdout).toMatch(/: -p lane-a\n/);
  });

  it('hidden characters of a mistaken word are shown and not sent', () => {
    const { stderr } = makeFleet().run(['pause', 'x\u001b[31m\u202ey']);
    expect(stderr).toContain('x\\u{1b}[31m\\u{202e}y');
  });
});

describe('global options stand before or after the verb', () => {
  it('--root and --json before, between and after', () => {
    const { root } = makeFleet('lane-a');
    for (const words of [
      ['--root', root, '--json', 'status'],
      ['--json', 'status', '--root', root],
      ['status', '-p', 'lane-a', `--root=${root}`, '--json'],
      ['--root', root, 'status', '--json', '--root', root],
    ]) {
      const { code, stdout } = runFleet(words);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ schema: 'fleet/status/v1', root });
    }
  });

  it('-plane-a is -p lane-a', () => {
    const { run } = makeFleet('lane-a');
    expect(run(['pause', '-plane-a']).stdout).toContain('PAUSED lane-a');
  });

  it('--quiet prints nothing on stdout but ids of a pause, and does all the same', () => {
    const { run } = makeFleet('lane-a');
    expect(run(['pause', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(run(['extend', '--ttl', '1h', '--shorten', '--quiet'])).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('SHORTENED'),
    });
    expect(run(['--quiet', 'assert', 'paused'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('--version and --help need no fleet', () => {
    expect(runFleet(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const words of [['--help'], ['help'], ['pause', '--help'], ['help', 'pause']]) {
      const { code, stdout } = runFleet(words);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: fleet');
    }
  });

  it.each(['pause', 'resume', 'status', 'explain', 'assert'])('%s --help has examples', (verb) => {
    const { code, stdout } = runFleet([verb, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Examples:\n  fleet ${verb}`);
  });
});

describe('what was meant', () => {
  it.each([
    ['unpause', 'resume'],
    ['stop', 'pause'],
    ['PAUSE', 'pause'],
    ['resme', 'resume'],
    ['statsu', 'status'],
    ['list', 'profiles or status'],
  ])('`fleet %s` suggests %s', (word, meant) => {
    const { code, stderr } = runFleet([word]);
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean ${meant}?`);
  });

  it('a list or a pattern after -p is told of -l and of a repeated -p, and changes nothing', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    const list = fleet.run(['pause', '-p', 'lane-a,lane-b']);
    expect(list.code).toBe(2);
    expect(list.stderr).toContain('repeat it: -p lane-a -p lane-b; or select by a label with -l');
    const pattern = fleet.run(['pause', '-p', 'lane-*']);
    expect(pattern.code).toBe(2);
    expect(pattern.stderr).toMatch(/-l key=value, repeat -p/);
    expect(everythingBelow(fleet.root)).toEqual(['profiles', 'profiles/lane-a', 'profiles/lane-b']);
  });

  it('where there is no root, `fleet init` makes one', () => {
    const { code, stderr } = runFleet(['status', '--root', '/nowhere/at/all']);
    expect(code).toBe(2);
    expect(stderr).toContain('make a fleet there with `fleet init`');
  });
});
