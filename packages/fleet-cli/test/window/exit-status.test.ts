/**
 * The exit status of `fleet window`: the command's, or one that no command means.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  everythingBelow,
  exists,
  makeFleet,
  place,
  runFleet,
  shareFleet,
} from '../support/fleet.ts';

describe('the status of the command is passed through, and nothing is held afterwards', () => {
  const { run, sentinel, root } = shareFleet('lane-a');
  const sh = (line: string) => ['sh', '-c', line];
  const script = (name: string, text: string, mode: number) => {
    const path = join(mkdtempSync(join(root, 'scripts-')), name);
    writeFileSync(path, text, { mode });
    return [path];
  };
  it.each([
    ['true', 0, sh('exit 0')],
    ['false', 1, sh('exit 1')],
    ['a usage error of the command', 2, sh('exit 2')],
    ['any other', 7, sh('exit 7')],
    ['what gate would call refused', 75, sh('exit 75')],
    ['what fleet would call its own failure', 125, sh('exit 125')],
    ['a command that could not execute another', 126, sh('exit 126')],
    ['a command that did not find another', 127, sh('exit 127')],
    ['the highest', 255, sh('exit 255')],
    ['killed by TERM', 143, sh('kill -TERM $$')],
    ['killed by KILL', 137, sh('kill -KILL $$')],
    ['killed by INT', 130, sh('kill -INT $$')],
    ['killed by HUP', 129, sh('kill -HUP $$')],
    ['killed by PIPE', 141, sh('kill -PIPE $$')],
    ['killed by SEGV', 139, sh('ulimit -c 0; kill -SEGV $$')],
    ['no such command', 127, ['no-such-command']],
    ['no such path', 127, ['/no/such/command']],
    ['an empty name', 127, ['']],
    ['a folder', 126, [root]],
    ['a file without the right to execute', 126, script('plain', 'x', 0o644)],
    ['a file where a folder should be', 126, ['/dev/null/x']],
    ['a script without a first line', 3, script('bare', 'exit 3\n', 0o755)],
  ])('%s: %d', (_what, code, words) => {
    const outcome = run(['window', '--', ...words]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain('lifted its hold on the whole fleet');
    expect(exists(sentinel())).toBe(false);
  });
});

describe('a command line that fleet refuses is 125, runs nothing and holds nothing', () => {
  const { run, root, folder } = shareFleet('lane-a');
  const ran = join(folder(), 'ran');
  const command = ['--', 'touch', ran];
  it.each([
    ['no command', []],
    ['nothing after --', ['--']],
    ['a command without --', ['touch', ran]],
    ['a word before --', ['lane-a', ...command]],
    ['an unknown option', ['--frob', ...command]],
    ['an option of pause', ['--until', '2999-01-01T00:00:00Z', ...command]],
    ['no deadline', ['--no-ttl', ...command]],
    ['a ttl that is none', ['--ttl', 'banana', ...command]],
    ['a ttl of nothing', ['--ttl', '0', ...command]],
    ['a ttl later than any date', ['--ttl', '999999999d', ...command]],
    ['a ttl later than any number', ['--ttl', `${'9'.repeat(32)}d`, ...command]],
    ['-- in place of a value', ['--ttl', ...command]],
    ['an empty reason', ['--reason', '', ...command]],
    ['an empty holder', ['--as', '', ...command]],
    ['a holder that is too long', ['--as', 'x'.repeat(65), ...command]],
    ['an unknown profile', ['-p', 'nope', ...command]],
    ['a known and an unknown profile', ['-p', 'lane-a', '-p', 'nope', ...command]],
    ['nothing but absent profiles', ['-p', 'nope', '--allow-missing', ...command]],
    ['the root’s own lane', ['-p', 'default', ...command]],
    ['--json, which has no room on stdout', ['--json', ...command]],
    ['an option before the verb', ['-p', 'lane-a', 'window', ...command]],
  ])('%s', (_what, words) => {
    const before = everythingBelow(root);
    const [first] = words;
    const line = first === '-p' && words.includes('window') ? words : ['window', ...words];
    const { code, stdout, stderr } = run(line);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^NOT run: /);
    expect(everythingBelow(root)).toEqual(before);
  });

  it('no such fleet is 125 as well', () => {
    const { code, stderr } = runFleet(['window', '--root', join(root, 'nowhere'), ...command]);
    expect(code).toBe(125);
    expect(stderr).toMatch(/^NOT run: .*nowhere` .* does not exist/);
  });

  it('bytes that are no UTF-8 would reach the command as others: refused', () => {
    const { code, stderr } = run(['window', '--', 'touch', 'a\ufffdb']);
    expect(code).toBe(125);
    expect(stderr).toContain('is not UTF-8');
  });
});

describe('what stands after -- is the command’s alone', () => {
  it('options, --help, a second -- and words that hurt arrive as they are', () => {
    const words = ['--help', '--json', '--', '-p', '', ' ', "it's $(me)", 'a\nb', '\u202eabc', '*'];
    const { run } = makeFleet();
    const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const { code, stdout } = run(['window', '--', process.execPath, '-e', print, '--', ...words]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  it('a name that could move a cursor is shown and not sent', () => {
    const { stderr } = makeFleet().run(['window', '--', 'no\u001b[31m\u202ename']);
    expect(stderr).toContain('no\\u{1b}[31m\\u{202e}name');
  });

  it('--help before it is fleet’s', () => {
    const { code, stdout } = makeFleet().run(['window', '--help', '--', 'no-such-command']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: fleet window [options] -- <command>');
  });

  it('it gets stdin, stdout and stderr as they are', () => {
    const { run } = makeFleet();
    const { stdout, stderr } = run([
      'window',
      '--quiet',
      '--',
      'sh',
      '-c',
      'echo out; echo err >&2',
    ]);
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  });

  it('its arguments are not told to whoever is refused', () => {
    const { run } = makeFleet();
    const { stderr } = run(['window', '--', '/bin/sh', '-c', 'exit 0', 'secret-token']);
    expect(stderr).toContain('window around sh');
    expect(stderr).not.toContain('secret-token');
  });
});

describe('a scope that cannot be held', () => {
  it('where there is no room beside 64 others: nothing is run, what was placed is lifted, 125', () => {
    const { run, sentinel, folder } = makeFleet('lane-a', 'lane-b');
    const holds = Array.from({ length: 64 }, (_, at) => ({ id: `h${at}`, holder: `h${at}` }));
    place(sentinel('lane-b'), { generation: 'g', holds });
    const ran = join(folder(), 'ran');
    const { code, stderr } = run(['window', '-p', 'lane-a', '-p', 'lane-b', '--', 'touch', ran]);
    expect(code).toBe(125);
    expect(stderr).toContain('NOT run: lane-b could not be held');
    expect(exists(ran)).toBe(false);
    expect(exists(sentinel('lane-a'))).toBe(false);
  });

  it('where a folder stands in the sentinel’s place: said why, and nothing else', () => {
    const { run, sentinel } = makeFleet();
    mkdirSync(sentinel());
    const { code, stderr } = run(['window', '--', 'true']);
    expect(code).toBe(125);
    expect(stderr).toMatch(/^NOT run: the whole fleet could not be held: .*EISDIR.*\n$/);
    expect(run(['gate']).code).toBe(75);
  });
});
