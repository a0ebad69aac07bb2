import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FleetError } from '../../src/errors.ts';
import { resolveRoot } from '../../src/fleet/root.ts';
import { folderAt, rootAt, temporaryFolder } from './folders.ts';

function codeOf(step: () => unknown): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return (error as FleetError).code;
  }
}

describe('which folder is the root', () => {
  it('the flag wins over every variable and over the home folder', () => {
    const base = temporaryFolder();
    const [flag, other] = [rootAt(base, 'flag'), rootAt(base, 'other')];
    folderAt(base, '.hermes');
    const env = { FLEET_ROOT: other, HERMES_HOME: other };
    expect(resolveRoot({ flag, env, userHome: base })).toEqual({ root: flag, source: '--root' });
  });

  it('FLEET_ROOT wins over HERMES_HOME', () => {
    const base = temporaryFolder();
    const [fleet, hermes] = [rootAt(base, 'fleet'), rootAt(base, 'hermes')];
    const env = { FLEET_ROOT: fleet, HERMES_HOME: hermes };
    expect(resolveRoot({ env, userHome: null })).toEqual({ root: fleet, source: 'FLEET_ROOT' });
  });

  it('empty variables count as unset', () => {
    const base = temporaryFolder();
    const root = rootAt(base, '.fleet');
    const env = { FLEET_ROOT: '', HERMES_HOME: '' };
    expect(resolveRoot({ env, userHome: base })).toEqual({ root, source: '~/.fleet' });
  });

  it('~/.hermes is preferred where it exists', () => {
    const base = temporaryFolder();
    const root = rootAt(base, '.hermes');
    folderAt(base, '.fleet');
    expect(resolveRoot({ env: {}, userHome: base })).toEqual({ root, source: '~/.hermes' });
  });

  it('a root reached through a link is known by its real path', () => {
    const base = temporaryFolder();
    const root = rootAt(base, 'real');
    symlinkSync(root, join(base, 'link'));
    expect(resolveRoot({ flag: join(base, 'link'), env: {}, userHome: null }).root).toBe(root);
  });

  it('`link/..` is the folder above what the link leads to, as for every other program', () => {
    const base = temporaryFolder();
    const root = rootAt(base, 'far', 'fleet');
    symlinkSync(folderAt(root, 'inner'), join(base, 'link'));
    expect(resolveRoot({ flag: `${base}/link/..`, env: {}, userHome: null }).root).toBe(root);
  });

  it('a folder that is there and shows no fleet is refused, whatever named it', () => {
    const base = temporaryFolder();
    const dir = folderAt(base, '.hermes');
    const ask = (question: Parameters<typeof resolveRoot>[0]) =>
      codeOf(() => resolveRoot(question));
    expect(ask({ flag: dir, env: {}, userHome: null })).toBe('ROOT_UNRECOGNIZED');
    expect(ask({ env: { FLEET_ROOT: dir }, userHome: null })).toBe('ROOT_UNRECOGNIZED');
    expect(ask({ env: { HERMES_HOME: dir }, userHome: null })).toBe('ROOT_UNRECOGNIZED');
    expect(ask({ env: {}, userHome: base })).toBe('ROOT_UNRECOGNIZED');
  });

  it('a profile’s home is no root of its own, though --root or FLEET_ROOT name it', () => {
    const home = folderAt(temporaryFolder(), 'profiles', 'lane-a');
    writeFileSync(join(home, 'ESTOP'), '');
    for (const named of [{ flag: home, env: {} }, { env: { FLEET_ROOT: home } }]) {
      expect(codeOf(() => resolveRoot({ ...named, userHome: null }))).toBe('ROOT_UNRECOGNIZED');
    }
  });
});

describe('HERMES_HOME', () => {
  it('that is a root is the root', () => {
    const root = rootAt(temporaryFolder());
    expect(resolveRoot({ env: { HERMES_HOME: root }, userHome: null })).toEqual({
      root,
      source: 'HERMES_HOME',
    });
  });

  it.each(['', '/', '/.'])(
    'that is a profile’s home (written `profiles/lane-a%s`) means the root above it',
    (end) => {
      const root = temporaryFolder();
      const home = folderAt(root, 'profiles', 'lane-a');
      const env = { HERMES_HOME: home + end };
      expect(resolveRoot({ env, userHome: null })).toMatchObject({ root, profile: 'lane-a' });
    },
  );

  it('that is a profile’s home which does not exist yet still means the root above it', () => {
    const root = rootAt(temporaryFolder());
    const home = join(root, 'profiles', 'lane-a');
    expect(resolveRoot({ env: { HERMES_HOME: home }, userHome: null }).root).toBe(root);
  });

  it('that is a profile which is itself a link means the root it is written under', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    folderAt(root, 'profiles');
    symlinkSync(folderAt(base, 'elsewhere', 'profiles', 'x'), join(root, 'profiles', 'lane-a'));
    const env = { HERMES_HOME: join(root, 'profiles', 'lane-a') };
    expect(resolveRoot({ env, userHome: null }).root).toBe(root);
  });

  it('that is a link to a profile’s home means the root above the real one', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    symlinkSync(folderAt(root, 'profiles', 'lane-a'), join(base, 'home'));
    expect(resolveRoot({ env: { HERMES_HOME: join(base, 'home') }, userHome: null }).root).toBe(
      root,
    );
  });
});

describe('a root is never made up', () => {
  it('a root that does not exist is ROOT_MISSING, whatever named it', () => {
    const base = temporaryFolder();
    const gone = join(base, 'gone');
    expect(codeOf(() => resolveRoot({ flag: gone, env: {}, userHome: base }))).toBe('ROOT_MISSING');
    const named = { FLEET_ROOT: gone };
    expect(codeOf(() => resolveRoot({ env: named, userHome: base }))).toBe('ROOT_MISSING');
    const hermes = { HERMES_HOME: gone };
    expect(codeOf(() => resolveRoot({ env: hermes, userHome: base }))).toBe('ROOT_MISSING');
    expect(codeOf(() => resolveRoot({ env: {}, userHome: base }))).toBe('ROOT_MISSING');
  });

  it.each([null, ''])('without a home folder (%j) there is nowhere to look', (userHome) => {
    expect(codeOf(() => resolveRoot({ env: {}, userHome }))).toBe('ROOT_MISSING');
  });

  it('a plain file is no root', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(codeOf(() => resolveRoot({ flag: file, env: {}, userHome: null }))).toBe('ROOT_MISSING');
  });

  it('an empty flag is refused', () => {
    const base = temporaryFolder();
    folderAt(base, '.fleet');
    expect(codeOf(() => resolveRoot({ flag: '', env: {}, userHome: base }))).toBe('VALUE_INVALID');
  });

  it('a broken ~/.hermes is missing, and ~/.fleet is not taken in its stead', () => {
    const base = temporaryFolder();
    folderAt(base, '.fleet');
    symlinkSync(join(base, 'gone'), join(base, '.hermes'));
    expect(codeOf(() => resolveRoot({ env: {}, userHome: base }))).toBe('ROOT_MISSING');
  });

  it('a link loop is SCOPE_UNUSABLE: it cannot be told what is there', () => {
    const loop = join(temporaryFolder(), 'loop');
    symlinkSync(loop, loop);
    expect(codeOf(() => resolveRoot({ flag: loop, env: {}, userHome: null }))).toBe(
      'SCOPE_UNUSABLE',
    );
  });

  it('a relative root in a removed folder is ROOT_MISSING', () => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    const gone = folderAt(temporaryFolder(), 'gone');
    process.chdir(gone);
    rmSync(gone, { recursive: true });
    expect(codeOf(() => resolveRoot({ flag: 'x', env: {}, userHome: null }))).toBe('ROOT_MISSING');
    const env = { HERMES_HOME: 'profiles/x' };
    expect(codeOf(() => resolveRoot({ env, userHome: null }))).toBe('ROOT_MISSING');
  });
});
