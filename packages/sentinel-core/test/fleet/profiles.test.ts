import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  isProfileName,
  listProfiles,
  profileHome,
  profilesSharing,
} from '../../src/fleet/profiles.ts';
import { folderAt, temporaryFolder } from './folders.ts';

/** `nobody`, by convention. */
const NOBODY = 65_534;

const namesIn = (root: string): string[] => listProfiles(root).profiles.map(({ name }) => name);

describe('profile names', () => {
  it.each(['a', '0', 'lane-a', 'lane_1', '9-_', 'x'.repeat(64)])('`%s` is a name', (name) => {
    expect(isProfileName(name)).toBe(true);
  });

  it.each([
    '',
    '-a',
    '_a',
    'A',
    'lane.a',
    'lane a',
    'lane-a\n',
    '..',
    '.',
    'a/b',
    '/etc',
    'é',
    'x'.repeat(65),
  ])('%j is no name, and never becomes part of a path', (name) => {
    expect(isProfileName(name)).toBe(false);
    expect(() => profileHome('/fleet', name)).toThrow(
      expect.objectContaining({ code: 'PROFILE_INVALID' }),
    );
  });
});

describe('which profiles a fleet has', () => {
  it('a root without profiles/ has none', () => {
    expect(listProfiles(temporaryFolder())).toEqual({ profiles: [], rejected: [] });
  });

  it('every folder with a name is a profile, in the order of names', () => {
    const root = temporaryFolder();
    for (const name of ['b', 'a-2', 'a']) folderAt(root, 'profiles', name);
    expect(listProfiles(root)).toEqual({
      profiles: ['a', 'a-2', 'b'].map((name) => ({ name, home: join(root, 'profiles', name) })),
      rejected: [],
    });
  });

  it('plain files are ignored, and so are links to them', () => {
    const root = temporaryFolder();
    const file = join(folderAt(root, 'profiles'), 'readme');
    writeFileSync(file, '');
    symlinkSync(file, join(root, 'profiles', 'link'));
    expect(listProfiles(root)).toEqual({ profiles: [], rejected: [] });
  });

  it('a folder without a proper name is reported, and is not a profile', () => {
    const root = temporaryFolder();
    for (const name of ['Lane', '.git', 'ok']) folderAt(root, 'profiles', name);
    expect(namesIn(root)).toEqual(['ok']);
    expect(listProfiles(root).rejected.map(({ name }) => name)).toEqual(['.git', 'Lane']);
  });

  it('a link to a folder is a profile', () => {
    const root = temporaryFolder();
    folderAt(root, 'profiles');
    symlinkSync(temporaryFolder(), join(root, 'profiles', 'linked'));
    expect(listProfiles(root).profiles).toEqual([
      { name: 'linked', home: join(root, 'profiles', 'linked'), link: true },
    ]);
  });

  it('a link that leads nowhere is reported', () => {
    const root = temporaryFolder();
    symlinkSync('gone', join(folderAt(root, 'profiles'), 'broken'));
    expect(namesIn(root)).toEqual([]);
    expect(listProfiles(root).rejected).toEqual([
      { name: 'broken', why: expect.stringContaining('nowhere') },
    ]);
  });

  it('a link loop stays a profile, since a folder may be behind it: its state will say what is wrong', () => {
    const root = temporaryFolder();
    const loop = join(folderAt(root, 'profiles'), 'loop');
    symlinkSync(loop, loop);
    expect(namesIn(root)).toEqual(['loop']);
  });

  it('a link to the root itself is reported, since its sentinel would be the whole fleet’s', () => {
    const root = temporaryFolder();
    symlinkSync(root, join(folderAt(root, 'profiles'), 'all'));
    expect(namesIn(root)).toEqual([]);
    expect(listProfiles(root).rejected.map(({ name }) => name)).toEqual(['all']);
  });

  it('the profile `default` is listed first once the root has a profile.yaml', () => {
    const root = temporaryFolder();
    folderAt(root, 'profiles', 'a');
    expect(namesIn(root)).toEqual(['a']);
    writeFileSync(join(root, 'profile.yaml'), '');
    expect(listProfiles(root).profiles).toEqual([
      { name: 'default', home: root },
      { name: 'a', home: join(root, 'profiles', 'a') },
    ]);
  });

  it('a folder named `default` is reported: that profile is the root', () => {
    const root = temporaryFolder();
    folderAt(root, 'profiles', 'default');
    expect(namesIn(root)).toEqual([]);
    expect(listProfiles(root).rejected.map(({ name }) => name)).toEqual(['default']);
  });

  it.each([
    ['a plain file', (path: string) => writeFileSync(path, '')],
    ['a link that leads nowhere', (path: string) => symlinkSync('gone', path)],
    ['a link loop', (path: string) => symlinkSync(path, path)],
  ])('where profiles/ is %s, which profiles there are is not known', (_what, place) => {
    const root = temporaryFolder();
    place(join(root, 'profiles'));
    expect(listProfiles(root).unreadable).toBeTypeOf('string');
  });

  it('where profiles/ may not be read, which profiles there are is not known', () => {
    const root = temporaryFolder();
    chmodSync(root, 0o755);
    mkdirSync(join(root, 'profiles'));
    chmodSync(join(root, 'profiles'), 0);
    expect(asOrdinaryUser(() => listProfiles(root).unreadable)).toBe('EACCES');
  });
});

describe('profiles that share one folder', () => {
  it('a link and the profile it leads to share it, both ways', () => {
    const root = temporaryFolder();
    folderAt(root, 'profiles', 'a');
    folderAt(root, 'profiles', 'c');
    symlinkSync('a', join(root, 'profiles', 'b'));
    const { profiles } = listProfiles(root);
    expect(profilesSharing(profiles, 'a')).toEqual(['b']);
    expect(profilesSharing(profiles, 'b')).toEqual(['a']);
    expect(profilesSharing(profiles, 'c')).toEqual([]);
  });
});

/** The superuser may read everything, and so asks as somebody else. */
function asOrdinaryUser<T>(ask: () => T): T {
  if (process.geteuid?.() !== 0) return ask();
  process.seteuid?.(NOBODY);
  try {
    return ask();
  } finally {
    process.seteuid?.(0);
  }
}
