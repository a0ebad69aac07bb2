/**
 * The words of `fleet watcher` are those of `fleet-watcher`, and judged as any verb's are.
 * What a call of another verb loads is here too: none pays for a daemon.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFleet, runFleet } from '../support/fleet.ts';

const daemon = fileURLToPath(new URL('../../../watcher/bin/fleet-watcher.js', import.meta.url));
const GLOBAL = ['--color', '--json', '--quiet'];

const optionsIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = '']) => name).sort();

/** From its title to the next empty line. */
const statusesIn = (help: string): string =>
  /^Exit status:\n(?: {2}\d.*\n)+/m.exec(help)?.[0] ?? 'none';

describe('fleet watcher --help', () => {
  const ours = runFleet(['watcher', '--help']).stdout;
  const theirs = spawnSync(process.execPath, [daemon, '--help'], { encoding: 'utf8' }).stdout;

  it('has every option of fleet-watcher, and of its own only those of every verb', () => {
    expect(optionsIn(theirs)).toContain('--sweep');
    // The version is that of the whole command: `fleet --version`.
    const shared = optionsIn(theirs).filter((option) => option !== '--version');
    expect(optionsIn(ours)).toEqual([...shared, ...GLOBAL].sort());
  });

  it('has the same statuses', () => {
    expect(statusesIn(ours)).toContain('  5  --check');
    expect(statusesIn(ours)).toBe(statusesIn(theirs));
  });
});

describe('each word arrives at the watcher as it was written', () => {
  it.each([
    [['--port', '65536'], '`--port 65536` is not a port'],
    [['--port=-1'], '`--port -1` is not a port'],
    [['--sweep', '5h'], '`--sweep 5h` is longer'],
    [['--observe', 'closely'], '`--observe closely` is not valid'],
    [['--log-level=--check'], '`--log-level --check` is not valid'],
    [['--once', '--check'], '`--once` and `--check` exclude each other'],
    [['--timeout', '1s'], '`--timeout` needs `--check`'],
    [['--port', '0', '--no-http'], '`--port` and `--no-http` exclude each other'],
  ])('%j', (words, complaint) => {
    const { code, stdout, stderr } = makeFleet('lane-a').run(['watcher', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });
});

describe('what is mistaken is refused before there is a watcher', () => {
  it.each([
    ['a stray word', ['lane-a']],
    ['a value that was forgotten', ['--sweep', '--once']],
    ['an empty value', ['--observe', '']],
    ['an option twice', ['--sweep', '1s', '--sweep', '2s']],
    ['another root', ['--root', '/elsewhere']],
    ['an unknown option', ['--frob']],
    ['a document of a log', ['--json']],
    ['a watcher that says nothing', ['--quiet']],
  ])('%s', (_what, words) => {
    const { code, stdout, stderr } = makeFleet('lane-a').run(['watcher', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT watched: /);
  });
});

describe('what a call loads', () => {
  const HEAVY = /watcher\.cjs|settings\.cjs|^node:(http|net|tls)$/;

  it.each([
    ['status', [], []],
    ['pause', [], []],
    ['events', ['--no-wait'], []],
    ['watcher', ['--once'], ['./watcher.cjs', './settings.cjs', 'node:http', 'node:net']],
  ])('%s %j: of what is dear, %j', (verb, words, expected) => {
    const { code, stderr } = makeFleet('lane-a').run([verb, ...words], loadsTold());
    expect(code).toBe(verb === 'events' ? 3 : 0);
    const loaded = stderr.split('\n').flatMap((line) => /^loaded (.*)$/.exec(line)?.[1] ?? []);
    expect(loaded.filter((name) => HEAVY.test(name))).toEqual(
      expected.length === 0 ? [] : expect.arrayContaining(expected),
    );
  });
});

/** Runs a command that says what it requires, on stderr. */
function loadsTold() {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-loads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tell.cjs');
  writeFileSync(
    file,
    `const Module = require('node:module');
     const load = Module._load;
     Module._load = function (name, ...rest) {
       process.stderr.write('loaded ' + name + '\\n');
       return load.call(this, name, ...rest);
     };`,
  );
  return { env: { NODE_OPTIONS: `--require=${file}` } };
}
