/**
 * `fleet init`: a root is made, and nothing that was there is touched.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  everythingBelow,
  exists,
  type RunOptions,
  runFleet,
  temporaryFolder,
} from '../support/fleet.ts';
import { snapshotOf } from '../support/snapshot.ts';

const EXAMPLE = [
  '.gitignore',
  'README.md',
  'fleet.yaml',
  'profiles',
  'profiles/lane-a',
  'profiles/lane-a/profile.yaml',
  'profiles/lane-b',
  'profiles/lane-b/profile.yaml',
  'profiles/nightly',
  'profiles/nightly/profile.yaml',
];

const isSuperuser = process.getuid?.() === 0;
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const folders = EXAMPLE.filter((path) => !/\.(md|yaml|gitignore)$/.test(path));

const init = (words: readonly string[], options?: RunOptions) =>
  runFleet(['init', ...words], options);

describe('a new root', () => {
  it('with --example is the example fleet, its owner’s alone, and says what it made', () => {
    const root = join(temporaryFolder(), 'fleet');
    const { code, stdout, stderr } = init([root, '--example']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^MADE ${root} \\(argument\\)\n`));
    for (const path of EXAMPLE) expect(stdout).toMatch(new RegExp(` made  ${path}/?\n`));
    expect(stdout).toContain(`fleet --root ${root} status`);
    expect(everythingBelow(root)).toEqual(EXAMPLE);
    for (const path of ['', ...folders]) expect(modeOf(join(root, path))).toBe('700');
    expect(runFleet(['--root', root, 'pause', '-l', 'tier=interactive']).code).toBe(0);
  });

  it('is the same under any umask', () => {
    const root = join(temporaryFolder(), 'fleet');
    const words = [
      process.execPath,
      '-e',
      `process.umask(0o777); process.argv.splice(1, 0, '');
      const { spawnSync } = require('node:child_process');
      process.exit(spawnSync(process.argv[2], process.argv.slice(3)).status);`,
    ];
    const launcher = new URL('../../bin/fleet.js', import.meta.url).pathname;
    const [program = '', ...rest] = words;
    const { status } = spawnSync(program, [
      ...rest,
      process.execPath,
      launcher,
      'init',
      root,
      '--example',
    ]);
    expect(status).toBe(0);
    for (const path of ['', ...folders]) expect(modeOf(join(root, path))).toBe('700');
    expect(modeOf(join(root, 'fleet.yaml'))).toBe('644');
  });

  it.each([[[]], [['--empty']]])('has no lanes: %j', (words) => {
    const root = join(temporaryFolder(), 'fleet');
    expect(init([root, ...words]).code).toBe(0);
    expect(everythingBelow(root)).toEqual(['.gitignore', 'fleet.yaml', 'profiles']);
  });

  it('keeps git from its holds: none is committed, and `git clean` lifts none', () => {
    const root = join(temporaryFolder(), 'fleet');
    init([root, '--example']);
    const git = (...words: readonly string[]) =>
      spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout;
    git('init', '--quiet');
    runFleet(['--root', root, 'pause']);
    runFleet(['--root', root, 'pause', '-p', 'lane-a']);
    expect(git('status', '--porcelain', '--untracked-files=all')).not.toMatch(/ESTOP|\.fleet/);
    git('clean', '-fdq');
    for (const place of ['', 'profiles/lane-a']) {
      expect(exists(join(root, place, 'ESTOP'))).toBe(true);
    }
  });

  it('is made with the folders above it, which is said', () => {
    const folder = temporaryFolder();
    const { code, stdout } = init([join(folder, 'x', 'y')]);
    expect(code).toBe(0);
    expect(stdout).toContain(`made  ${folder}/x/\n`);
    expect(exists(join(folder, 'x', 'y', 'fleet.yaml'))).toBe(true);
  });

  it('as JSON', () => {
    const root = join(temporaryFolder(), 'fleet');
    const { stdout } = init([root, '--json', '--empty']);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'fleet/init/v1',
      root,
      root_source: 'argument',
      made: ['./', 'fleet.yaml', '.gitignore', 'profiles/'],
      kept: [],
      complete: true,
      failed: null,
      group: null,
      unshared: [],
      found_without_root: false,
    });
  });

  it('its settings are read, and set nothing', () => {
    const root = join(temporaryFolder(), 'fleet');
    init([root]);
    expect(runFleet(['--root', root, 'pause', '--json']).stdout).toContain('"settings": "read"');
    expect(runFleet(['--root', root, 'profiles']).code).toBe(0);
  });
});

describe('which folder', () => {
  it.each([
    ['--root', (root: string) => init(['--root', root])],
    ['FLEET_ROOT', (root: string) => init([], { env: { FLEET_ROOT: root, HOME: '/' } })],
    ['argument', (root: string) => init([root], { env: { FLEET_ROOT: '/nowhere', HOME: '/' } })],
  ])('%s', (source, call) => {
    const root = join(temporaryFolder(), 'fleet');
    const { code, stdout } = call(root);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^MADE ${root} \\(${source}\\)`));
  });

  it('~/.fleet, which is then found without being named', () => {
    const home = temporaryFolder();
    const { code, stdout } = init([], { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stdout).toContain(`MADE ${home}/.fleet (~/.fleet)`);
    expect(stdout).toContain('look at it with  fleet status');
    expect(runFleet(['status'], { env: { HOME: home } }).code).toBe(0);
  });

  it('~/.fleet beside a ~/.hermes, which is what is found: that is said', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.hermes'));
    const { stdout } = init([], { env: { HOME: home } });
    expect(stdout).toContain(`fleet --root ${home}/.fleet status`);
    expect(stdout).toContain('without either, fleet uses another root');
  });

  it('a relative path is one from where it is called', () => {
    const folder = temporaryFolder();
    expect(init(['here'], { cwd: folder }).code).toBe(0);
    expect(exists(join(folder, 'here', 'fleet.yaml'))).toBe(true);
  });

  const folder = () => temporaryFolder();
  const REFUSED: readonly (readonly [string, () => ReturnType<typeof init>])[] = [
    ['no home folder', () => init([])],
    ['a home folder that is not there', () => init([], { env: { HOME: join(folder(), 'gone') } })],
    ['an empty folder name', () => init([''])],
    ['two folders', () => init([folder(), folder()])],
    ['a folder, and --root as well', () => init([folder(), '--root', folder()])],
    ['the place of a profile’s home', () => init([join(folder(), 'profiles', 'x')])],
    ['a group that there is not', () => init([folder(), '--group', 'no-such-group'])],
    ['a group that looks like an option', () => init([folder(), '--group=-x'])],
    ['a group with a line break', () => init([folder(), '--group', 'a\nb'])],
    ['a profile', () => init(['-p', 'a'])],
  ];
  it.each(REFUSED)('%s is refused with "NOT made", and nothing is made', (_what, call) => {
    const { code, stdout, stderr } = call();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT made: /);
  });
});

describe('what is there is kept, and listed', () => {
  it('a second call changes nothing at all', () => {
    const root = join(temporaryFolder(), 'fleet');
    init([root, '--example']);
    const before = snapshotOf(root);
    const { code, stdout } = init([root, '--example']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^nothing to make in /);
    for (const path of EXAMPLE) expect(stdout).toMatch(new RegExp(` kept  ${path}/?, as it was\n`));
    expect(snapshotOf(root)).toEqual(before);
  });

  it('a file of the same name, whatever it is, and the mode of a folder', () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'fleet.yaml'), 'mine');
    const nowhere = join(temporaryFolder(), 'nowhere');
    symlinkSync(nowhere, join(root, 'README.md'));
    chmodSync(root, 0o751);
    const { code, stdout } = init([root, '--example']);
    expect(code).toBe(0);
    expect(stdout).toContain('kept  fleet.yaml');
    expect(stdout).toContain('kept  README.md');
    expect(readFileSync(join(root, 'fleet.yaml'), 'utf8')).toBe('mine');
    expect(exists(nowhere)).toBe(false);
    expect(modeOf(root)).toBe('751');
    expect(exists(join(root, 'profiles/lane-a/profile.yaml'))).toBe(true);
  });

  it('beside profiles that are somebody’s, no example profile is made', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'profiles', 'mine'), { recursive: true });
    expect(init([root, '--example']).code).toBe(0);
    expect(everythingBelow(root)).toEqual([
      '.gitignore',
      'fleet.yaml',
      'profiles',
      'profiles/mine',
    ]);
  });

  it('a profile of the example’s name that has work in it gets no labels', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'profiles', 'lane-a', 'sessions'), { recursive: true });
    init([root, '--example']);
    expect(exists(join(root, 'profiles', 'lane-a', 'profile.yaml'))).toBe(false);
  });

  it('a call that ended half-way is finished by the next', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'profiles', 'lane-a'), { recursive: true });
    expect(init([root, '--example']).code).toBe(0);
    expect(everythingBelow(root)).toEqual(EXAMPLE);
  });
});

describe('what cannot be made', () => {
  it('a file in the place of the root', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const { code, stdout, stderr } = init([join(folder, 'file')]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('it exists, and is not a folder');
  });

  it('a folder in which this user may make nothing', () => {
    const folder = temporaryFolder();
    const { code, stderr } = init([join(folder, 'x')], { ordinary: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT made: .*EACCES/);
    expect(everythingBelow(folder)).toEqual([]);
  });

  it('half of it: what was made is listed, and that it is not finished is said', () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'profiles'), 'in the way');
    const { code, stdout, stderr } = init([root, '--example']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^BEGUN /);
    expect(stdout).toContain('made  fleet.yaml');
    expect(stderr).toMatch(/^NOT finished: .*profiles\/: it exists, and is not a folder/);
  });
});

describe('--group', () => {
  beforeEach(({ skip }) => {
    if (!isSuperuser) skip('only root may give a folder to a group it is not in');
  });

  const group = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((line) => /^users:/.test(line));
  const id = Number(group?.split(':')[2]);

  it('makes the folders the group’s, and names it in the settings', () => {
    const root = join(temporaryFolder(), 'fleet');
    const { code, stdout } = init([root, '--example', '--group', 'users']);
    expect(code).toBe(0);
    expect(stdout).toContain('shared by the group users');
    for (const path of ['', ...folders]) {
      expect(modeOf(join(root, path))).toBe('2770');
      expect(statSync(join(root, path)).gid).toBe(id);
    }
    expect(modeOf(join(root, 'fleet.yaml'))).toBe('664');
    expect(readFileSync(join(root, 'fleet.yaml'), 'utf8')).toContain("access: { group: 'users' }");
    expect(runFleet(['--root', root, 'pause'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('of which this user is no member is refused', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    const { code, stderr } = init([join(folder, 'x'), '--group', 'users'], { ordinary: true });
    expect(code).toBe(2);
    expect(stderr).toContain('not in the group `users`');
    expect(everythingBelow(folder)).toEqual([]);
  });

  it('never changes what was there: exit 1, with the commands that would', () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'fleet.yaml'), 'version: 1\n');
    const { code, stdout, stderr } = init([root, '--example', '--group', 'users']);
    expect(code).toBe(1);
    expect(stdout).not.toContain('shared by');
    expect(stderr).toContain(`chgrp users ${root} && chmod 2770 ${root}`);
    expect(stderr).toContain("fleet.yaml must say  access: { group: 'users' }");
    expect(modeOf(root)).toBe('755');
    expect(readFileSync(join(root, 'fleet.yaml'), 'utf8')).toBe('version: 1\n');
  });
});
