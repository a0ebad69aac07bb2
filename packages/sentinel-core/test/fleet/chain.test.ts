import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chainOf, profileChain, rootScopes } from '../../src/fleet/chain.ts';
import { folderAt, temporaryFolder } from './folders.ts';

describe('the chain of a profile', () => {
  it('is the profile, the root and the cluster, nearest first', () => {
    expect(profileChain('/fleet', 'lane-a')).toEqual({
      profile: 'lane-a',
      root: '/fleet',
      scopes: [
        { kind: 'profile', dir: '/fleet/profiles/lane-a', profile: 'lane-a' },
        { kind: 'root', dir: '/fleet' },
        { kind: 'cluster', dir: '/fleet/cluster' },
      ],
    });
  });

  it('is the root and the cluster for the profile `default`, which has no sentinel of its own', () => {
    expect(profileChain('/fleet', 'default').scopes).toEqual(rootScopes('/fleet'));
  });

  it('has no doubled slash where the root is the file system’s own', () => {
    expect(profileChain('/', 'a').scopes.map(({ dir }) => dir)).toEqual([
      '/profiles/a',
      '/',
      '/cluster',
    ]);
  });

  it.each(['..', 'a/../..', 'Lane', ''])('refuses %j before it becomes part of a path', (name) => {
    expect(() => profileChain('/fleet', name)).toThrow(
      expect.objectContaining({ code: 'PROFILE_INVALID' }),
    );
  });
});

describe('the chain of a home folder', () => {
  it('a profile’s home is bound by the root above it', () => {
    const root = temporaryFolder();
    expect(chainOf(folderAt(root, 'profiles', 'a'))).toEqual(profileChain(root, 'a'));
  });

  it('a root’s home is the profile `default`', () => {
    const root = temporaryFolder();
    expect(chainOf(root)).toEqual(profileChain(root, 'default'));
  });

  it('a profile that is a link to elsewhere is bound by the root it is written under', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    folderAt(root, 'profiles');
    symlinkSync(folderAt(base, 'elsewhere'), join(root, 'profiles', 'a'));
    expect(chainOf(join(root, 'profiles', 'a'))).toEqual(profileChain(root, 'a'));
  });

  it('a link to a profile’s home has that profile’s chain', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    symlinkSync(folderAt(root, 'profiles', 'a'), join(base, 'home'));
    expect(chainOf(join(base, 'home'))).toEqual(profileChain(root, 'a'));
  });

  it('a root reached through a link has one chain, however its profile is written', () => {
    const base = temporaryFolder();
    const root = folderAt(base, 'fleet');
    folderAt(root, 'profiles', 'a');
    symlinkSync(root, join(base, 'link'));
    expect(chainOf(join(base, 'link', 'profiles', 'a'))).toEqual(profileChain(root, 'a'));
    expect(chainOf(join(base, 'link'))).toEqual(profileChain(root, 'default'));
  });

  it('a home below profiles/ whose name is not a profile’s is bound by the root all the same', () => {
    const root = temporaryFolder();
    const chain = chainOf(folderAt(root, 'profiles', 'Not A Lane'));
    expect(chain.root).toBe(root);
    expect(chain.scopes.map(({ kind }) => kind)).toEqual(['profile', 'root', 'cluster']);
  });

  it('a profile’s home that does not exist is bound by its root', () => {
    const root = temporaryFolder();
    expect(chainOf(join(root, 'profiles', 'a'))).toEqual(profileChain(root, 'a'));
  });

  it('a home of which it cannot be told whose it is has no chain', () => {
    const base = temporaryFolder();
    symlinkSync(join(base, 'gone'), join(base, 'home'));
    expect(() => chainOf(join(base, 'home'))).toThrow(
      expect.objectContaining({ code: 'ROOT_MISSING' }),
    );
    expect(() => chainOf('')).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });
});
