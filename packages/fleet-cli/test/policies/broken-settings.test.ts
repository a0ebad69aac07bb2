/**
 * A fleet.yaml that cannot be used, and an installation that cannot read one: a pause goes through,
 * and says loudly that no policy was applied.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exists, makeFleet, temporaryFolder } from '../support/fleet.ts';

const VALID = 'version: 1\npolicies: { require_reason: true }\n';

const BROKEN: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['an unknown key', (path) => writeFileSync(path, `${VALID}polices: {}\n`), /fleet\.yaml:3:1: /],
  [
    'a value of the wrong kind',
    (path) => writeFileSync(path, 'version: 1\npolicies:\n  max_ttl: soon\n'),
    /fleet\.yaml:3:12: /,
  ],
  ['no YAML', (path) => writeFileSync(path, 'version: 1\na: [\n'), /fleet\.yaml:\d+:\d+: /],
  ['no version', (path) => writeFileSync(path, 'policies: {}\n'), /fleet\.yaml:1:1: .*version/],
  ['another version', (path) => writeFileSync(path, 'version: 2\n'), /fleet\.yaml:1:10: /],
  ['an empty file', (path) => writeFileSync(path, ''), /fleet\.yaml:1:1: /],
  ['UTF-16', (path) => writeFileSync(path, Buffer.from(`\ufeff${VALID}`, 'utf16le')), /UTF-16/],
  ['a file too large', (path) => writeFileSync(path, '#'.repeat(300_000)), /too large/],
  ['a folder', (path) => mkdirSync(path), /this is a folder/],
  ['a FIFO', (path) => void spawnSync('mkfifo', [path]), /this is a FIFO/],
  ['a dangling link', (path) => symlinkSync('nowhere', path), /leads nowhere/],
  ['a link loop', (path) => symlinkSync('fleet.yaml', path), /ELOOP/],
];

describe('a fleet.yaml that cannot be used never prevents a pause, and is said with its place', () => {
  it.each(BROKEN)('%s', (_what, write, said) => {
    const { root, run, sentinel } = makeFleet('a');
    write(join(root, 'fleet.yaml'));
    const { code, stdout, stderr } = run(['pause']);
    expect(code).toBe(0);
    expect(stdout).toContain('PAUSED the whole fleet');
    expect(stderr).toContain("this fleet's policies are NOT applied");
    expect(stderr).toMatch(said);
    expect(exists(sentinel())).toBe(true);
  });

  it('one that this user may not read', () => {
    const { root, run, sentinel } = makeFleet('a');
    writeFileSync(join(root, 'fleet.yaml'), VALID, { mode: 0o000 });
    chmodSync(root, 0o777);
    const { code, stderr } = run(['pause'], { ordinary: true });
    expect(code).toBe(0);
    expect(stderr).toContain('EACCES');
    expect(exists(sentinel())).toBe(true);
  });

  it('an extension and a window go through as well', () => {
    const { root, run } = makeFleet('a');
    run(['pause']);
    writeFileSync(join(root, 'fleet.yaml'), '{');
    const extended = run(['extend', '--ttl', '1h', '--shorten']);
    expect(extended.code).toBe(0);
    expect(extended.stderr).toContain('policies are NOT applied');
    const window = run(['window', '--', 'echo', 'ran']);
    expect(window).toMatchObject({ code: 0, stdout: 'ran\n' });
    expect(window.stderr).toContain('policies are NOT applied');
  });

  it('machines are told what is known of it', () => {
    const { root, json } = makeFleet('a');
    expect(json(['pause']).document.settings).toBe('absent');
    writeFileSync(join(root, 'fleet.yaml'), 'version: 1\n');
    expect(json(['pause']).document.settings).toBe('read');
    writeFileSync(join(root, 'fleet.yaml'), '{');
    expect(json(['pause']).document.settings).toBe('rejected');
  });
});

/** The command as it is installed, without the part that reads settings. */
function withoutSettingsReader(): string {
  const installed = temporaryFolder();
  const built = fileURLToPath(new URL('../..', import.meta.url));
  for (const part of ['bin', 'dist/bundle', 'package.json']) {
    cpSync(join(built, part), join(installed, part), { recursive: true });
  }
  rmSync(join(installed, 'dist/bundle/settings.cjs'));
  return join(installed, 'bin', 'fleet.js');
}

describe('an installation that lost its reader of settings', () => {
  const call = (launcher: string, words: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [launcher, ...words], {
      encoding: 'utf8',
      env: {},
    });
    return { code: status, stderr };
  };

  it('pauses a fleet that has settings, and says that they were not read', () => {
    const { root, sentinel } = makeFleet('a');
    writeFileSync(join(root, 'fleet.yaml'), VALID);
    const { code, stderr } = call(withoutSettingsReader(), ['--root', root, 'pause']);
    expect(code).toBe(0);
    expect(stderr).toContain('this installation of fleet cannot read it');
    expect(exists(sentinel())).toBe(true);
  });

  it('refuses a selection by labels, and pauses by name', () => {
    const { root, sentinel } = makeFleet('a');
    const launcher = withoutSettingsReader();
    const { code, stderr } = call(launcher, ['--root', root, 'pause', '-l', 'tier=x']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT paused: this installation of fleet cannot read labels/);
    expect(call(launcher, ['--root', root, 'pause', '-p', 'a']).code).toBe(0);
    expect(exists(sentinel('a'))).toBe(true);
  });

  it('does not even miss it where there are none, or where they say only their version', () => {
    const { root } = makeFleet('a');
    const launcher = withoutSettingsReader();
    const quietly = { code: 0, stderr: '' };
    for (const words of [['status'], ['pause'], ['explain'], ['assert', 'paused'], ['resume']]) {
      expect(call(launcher, ['--root', root, ...words])).toEqual(quietly);
    }
    const example = fileURLToPath(new URL('../../../../profiles.example', import.meta.url));
    cpSync(join(example, 'fleet.yaml'), join(root, 'fleet.yaml'));
    expect(call(launcher, ['--root', root, 'pause'])).toEqual(quietly);
  });
});
