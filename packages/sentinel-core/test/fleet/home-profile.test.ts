import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileChain } from '../../src/fleet/chain.ts';
import { chainOfHome } from '../../src/fleet/home-profile.ts';
import { mountBind, mountsMissing } from '../support/mounts.ts';
import { needs } from '../support/needs.ts';
import { folderAt, temporaryFolder } from './folders.ts';

function fleetWith(...names: readonly string[]): string {
  const root = folderAt(temporaryFolder(), 'fleet');
  folderAt(root, 'profiles');
  for (const name of names) folderAt(root, 'profiles', name);
  return root;
}

const codeOf = (step: () => unknown): string => {
  try {
    step();
    return 'nothing was thrown';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the profile of a home', () => {
  it('is the profile in whose folder it lies, and the root is the profile `default`', () => {
    const root = fleetWith('lane-a');
    expect(chainOfHome(join(root, 'profiles/lane-a'))).toEqual(profileChain(root, 'lane-a'));
    expect(chainOfHome(root)).toEqual(profileChain(root, 'default'));
  });

  it('that is a link in `profiles/` is bound by the root it is written under', () => {
    const root = fleetWith();
    symlinkSync(folderAt(root, '..', 'elsewhere'), join(root, 'profiles/lane-a'));
    expect(chainOfHome(join(root, 'profiles/lane-a'))).toEqual(profileChain(root, 'lane-a'));
  });

  it.each([
    ['no path', () => '', 'VALUE_INVALID'],
    ['a folder that is gone', (root: string) => join(root, 'gone'), 'ROOT_MISSING'],
    ['a misspelt profile', (root: string) => join(root, 'profiles/lane-b'), 'SCOPE_UNUSABLE'],
    [
      'a name that is not a profile’s',
      (root: string) => folderAt(root, 'profiles/Lane A'),
      'PROFILE_INVALID',
    ],
    [
      '`default` in `profiles/`',
      (root: string) => folderAt(root, 'profiles/default'),
      'PROFILE_INVALID',
    ],
    ['`profiles/` itself', (root: string) => join(root, 'profiles'), 'ROOT_UNRECOGNIZED'],
    ['the folder above the root', (root: string) => join(root, '..'), 'ROOT_UNRECOGNIZED'],
    ['a copied home', (root: string) => folderAt(root, '..', 'data'), 'ROOT_UNRECOGNIZED'],
    [
      'a folder in a `profiles/` that lies in a home',
      (root: string) => folderAt(root, 'profiles/lane-a/profiles/x'),
      'ROOT_UNRECOGNIZED',
    ],
  ])('%s has none', (_what, homeIn, code) => {
    const root = fleetWith('lane-a');
    expect(codeOf(() => chainOfHome(homeIn(root)))).toBe(code);
  });
});

describe('of a fleet that is named', () => {
  it('a home in it is its profile, and the root its profile `default`', () => {
    const root = fleetWith('lane-a');
    expect(chainOfHome(join(root, 'profiles/lane-a'), root)).toEqual(profileChain(root, 'lane-a'));
    expect(chainOfHome(root, root)).toEqual(profileChain(root, 'default'));
  });

  it('through a link, the chain is written with the real root', () => {
    const root = fleetWith('lane-a');
    const link = join(root, '../link');
    symlinkSync(root, link);
    expect(chainOfHome(join(link, 'profiles/lane-a'), link)).toEqual(profileChain(root, 'lane-a'));
  });

  it('a folder that a profile of it links to is that profile', () => {
    const root = fleetWith();
    const elsewhere = folderAt(root, '..', 'elsewhere');
    symlinkSync(elsewhere, join(root, 'profiles/lane-a'));
    expect(chainOfHome(elsewhere, root)).toEqual(profileChain(root, 'lane-a'));
  });

  it('a profile of another fleet is refused, and its own fleet named', () => {
    const [root, other] = [fleetWith('lane-a'), fleetWith('lane-a')];
    expect(() => chainOfHome(join(other, 'profiles/lane-a'), root)).toThrow(
      expect.objectContaining({ code: 'PROFILE_INVALID', hint: expect.stringContaining(other) }),
    );
    expect(codeOf(() => chainOfHome(other, root))).toBe('PROFILE_INVALID');
  });

  it('a copy of a home is refused: it is another folder', () => {
    const root = fleetWith('lane-a');
    expect(codeOf(() => chainOfHome(folderAt(root, '..', 'data'), root))).toBe('PROFILE_INVALID');
  });

  it('a root that is none is refused, whatever the home is', () => {
    const root = fleetWith('lane-a');
    const home = join(root, 'profiles/lane-a');
    expect(codeOf(() => chainOfHome(home, join(root, 'profiles')))).toBe('ROOT_UNRECOGNIZED');
    expect(codeOf(() => chainOfHome(home, join(root, 'gone')))).toBe('ROOT_MISSING');
  });

  it('which profiles it has must be known, where only they tell', () => {
    const root = folderAt(temporaryFolder(), 'fleet');
    writeFileSync(join(root, 'fleet.yaml'), '');
    symlinkSync('nowhere', join(root, 'profiles'));
    expect(codeOf(() => chainOfHome(folderAt(root, '..', 'data'), root))).toBe('SCOPE_UNUSABLE');
  });

  describe('and of which a part is mounted elsewhere', () => {
    needs(mountsMissing);

    it('a profile is that profile, with its whole chain', () => {
      const root = fleetWith('lane-a', 'lane-b');
      const data = folderAt(root, '..', 'data');
      mountBind(join(root, 'profiles/lane-b'), data);
      expect(codeOf(() => chainOfHome(data))).toBe('ROOT_UNRECOGNIZED');
      expect(chainOfHome(data, root)).toEqual(profileChain(root, 'lane-b'));
    });

    it('the root is the profile `default`', () => {
      const root = fleetWith('lane-a');
      const data = folderAt(root, '..', 'data');
      mountBind(root, data);
      expect(chainOfHome(data, root)).toEqual(profileChain(root, 'default'));
      mkdirSync(join(root, 'profiles/lane-c'));
      expect(chainOfHome(join(data, 'profiles/lane-c'), root)).toEqual(
        profileChain(root, 'lane-c'),
      );
    });
  });
});
