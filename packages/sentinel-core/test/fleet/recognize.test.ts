import {
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recognizeRoot, requireRoot } from '../../src/fleet/recognize.ts';
import { mountBind, mountsMissing } from '../support/mounts.ts';
import { needs } from '../support/needs.ts';
import { NOBODY, otherProcess, otherUserMissing } from '../support/other-process.ts';
import { folderAt, temporaryFolder } from './folders.ts';

/** Puts a file, or with a slash at its end a folder, and whatever it lies in. */
function put(dir: string, path: string): void {
  if (path.endsWith('/')) return void mkdirSync(join(dir, path), { recursive: true });
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), '');
}

const recognized = (dir: string): string => recognizeRoot(dir).is;

describe('a folder shows that it is a root', () => {
  it.each([
    ['`profiles/`', ['profiles/']],
    ['a file `profiles`, since its profiles cannot be listed', ['profiles']],
    ['`fleet.yaml`, read or not', ['fleet.yaml']],
    ['a sentinel alone', ['ESTOP']],
    ['a sentinel that is a folder', ['ESTOP/']],
    [
      '`profiles/` of a root that is served itself',
      ['profiles/', 'profile.yaml', '.fleet/in-flight/'],
    ],
  ])('by %s', (_what, paths) => {
    const dir = temporaryFolder();
    for (const path of paths) put(dir, path);
    expect(recognized(dir)).toBe('root');
    expect(requireRoot(dir, '--root')).toBe(dir);
  });

  it('by `profiles` that is a link, wherever it leads', () => {
    const dir = temporaryFolder();
    symlinkSync(join(dir, 'not-mounted'), join(dir, 'profiles'));
    expect(recognized(dir)).toBe('root');
  });

  it('through a link to it', () => {
    const base = temporaryFolder();
    folderAt(base, 'fleet', 'profiles');
    symlinkSync(join(base, 'fleet'), join(base, 'link'));
    expect(requireRoot(join(base, 'link'), '--root')).toBe(join(base, 'fleet'));
  });
});

describe('a folder does not show that it is a root', () => {
  it.each([
    ['that is empty', []],
    ['with an empty `.fleet/`, which a home has too', ['.fleet/']],
    ['with the work in hand of a gateway', ['.fleet/in-flight/']],
    ['with the receipts of a gateway', ['.fleet/refused.ndjson']],
    ['with a `profile.yaml`', ['profile.yaml']],
    ['with the journal of whoever took it for a root', ['.fleet/journal.ndjson']],
    ['with such a journal and the work in hand', ['.fleet/journal.ndjson', '.fleet/in-flight/']],
    ['with what a watcher left', ['.fleet/watcher.lock/', '.fleet/watcher.sock', '.fleet/token']],
    ['with the sentinel and the `profile.yaml` of a profile', ['ESTOP', 'profile.yaml']],
    ['with the sentinel and the receipts of a profile', ['ESTOP', '.fleet/refused.ndjson']],
    ['with the sentinel and the work in hand of a profile', ['ESTOP', '.fleet/in-flight/']],
  ])('%s', (_what, paths) => {
    const dir = temporaryFolder();
    for (const path of paths) put(dir, path);
    expect(recognized(dir)).toBe('no-root');
    expect(() => requireRoot(dir, '--root')).toThrow(
      expect.objectContaining({ code: 'ROOT_UNRECOGNIZED' }),
    );
  });

  it('that lies in a `profiles/`, whatever it has', () => {
    const home = folderAt(temporaryFolder(), 'profiles', 'lane-a');
    for (const path of ['ESTOP', 'fleet.yaml', 'profiles/', '.fleet/journal.ndjson'])
      put(home, path);
    expect(recognized(home)).toBe('no-root');
  });

  it('that is the `profiles/` of a fleet, even with a profile of that name in it', () => {
    const root = temporaryFolder();
    folderAt(root, 'profiles', 'profiles');
    put(root, 'profiles/ESTOP');
    expect(recognized(join(root, 'profiles'))).toBe('no-root');
  });

  it('that is a link to a profile’s home, or to `profiles/`', () => {
    const base = temporaryFolder();
    put(folderAt(base, 'fleet', 'profiles', 'lane-a'), 'ESTOP');
    symlinkSync(join(base, 'fleet/profiles/lane-a'), join(base, 'home'));
    symlinkSync(join(base, 'fleet/profiles'), join(base, 'all'));
    expect([recognized(join(base, 'home')), recognized(join(base, 'all'))]).toEqual([
      'no-root',
      'no-root',
    ]);
  });

  it('that stands in a `profiles/` by a link to elsewhere', () => {
    const base = temporaryFolder();
    put(folderAt(base, 'elsewhere'), 'ESTOP');
    folderAt(base, 'fleet', 'profiles');
    symlinkSync(join(base, 'elsewhere'), join(base, 'fleet/profiles/lane-a'));
    expect(recognized(join(base, 'fleet/profiles/lane-a'))).toBe('no-root');
  });

  it('once its marks were taken away', () => {
    const dir = temporaryFolder();
    put(dir, 'profiles/');
    expect(recognized(dir)).toBe('root');
    renameSync(join(dir, 'profiles'), join(dir, 'lanes'));
    expect(recognized(dir)).toBe('no-root');
  });
});

describe('the nearest root', () => {
  const hintOf = (path: string): string => {
    try {
      requireRoot(path, '--root');
      throw new Error('it is a root');
    } catch (error) {
      return (error as { hint: string }).hint;
    }
  };

  it.each([
    ['its `profiles/`', 'profiles'],
    ['a profile’s home', 'profiles/lane-a'],
    ['a folder deep in a home', 'profiles/lane-a/notes/deep'],
  ])('is named for %s', (_what, path) => {
    const root = temporaryFolder();
    expect(hintOf(folderAt(root, path))).toContain(`\`${root}\``);
  });

  it('is found above what a link leads to, too', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    symlinkSync(folderAt(root, 'profiles', 'lane-a'), join(base, 'home'));
    expect(hintOf(join(base, 'home'))).toContain(`\`${root}\``);
  });

  it('is not made up where there is none: the hint says what would make one', () => {
    expect(hintOf(temporaryFolder())).toContain('profiles/');
  });
});

describe('where a profile’s home was taken elsewhere', () => {
  it('a copy of it is no root, its records and its sentinel included', () => {
    const base = temporaryFolder();
    const home = folderAt(base, 'fleet', 'profiles', 'lane-a');
    put(home, '.fleet/in-flight/');
    put(home, 'ESTOP');
    cpSync(home, join(base, 'data'), { recursive: true });
    expect(recognized(join(base, 'data'))).toBe('no-root');
  });

  describe('by a mount', () => {
    needs(mountsMissing);

    it('it is no root, although nothing in its path says so', () => {
      const base = temporaryFolder();
      const home = folderAt(base, 'fleet', 'profiles', 'lane-a');
      put(home, '.fleet/in-flight/');
      mountBind(home, folderAt(base, 'data'));
      expect(recognized(join(base, 'data'))).toBe('no-root');
      rmSync(join(home, '.fleet'), { recursive: true });
      expect(recognized(join(base, 'data'))).toBe('no-root');
    });
  });
});

describe('what cannot be looked at', () => {
  needs(otherUserMissing);
  const nobody = otherProcess({ uid: NOBODY });

  it('in a folder that may not be entered is held by its sentinel, which nobody can see', async () => {
    const dir = temporaryFolder();
    chmodSync(dir, 0o700);
    expect(await nobody.run('recognizeRoot', dir)).toEqual({ is: 'root', by: 'ESTOP' });
  });

  it('in a `.fleet/` of another user is unknown, and not "no fleet"', async () => {
    const dir = temporaryFolder();
    chmodSync(dir, 0o755);
    mkdirSync(join(dir, '.fleet'), { mode: 0o700 });
    expect(await nobody.run('recognizeRoot', dir)).toEqual({ is: 'unknown', why: 'EACCES' });
  });
});
