/** Which file systems are known, and as what. */
import { describe, expect, test } from 'vitest';
import { knownAs } from '../../src/files/file-system.ts';
import { fileSystemAt } from '../../src/index.ts';
import { mountsMissing, mountTmpfs } from '../support/mounts.ts';
import { needs } from '../support/needs.ts';
import { scopeDir } from '../support/scope-dir.ts';

test.each([
  ['ext', 0xef53, 'plain'],
  ['tmpfs', 0x01021994, 'memory'],
  ['nfs', 0x6969, 'network'],
  ['smb', 0x517b, 'network'],
  ['cifs', 0xff534d42, 'network'],
  ['smb2', 0xfe534d42, 'network'],
  ['9p', 0x01021997, 'network'],
  ['fuse or virtiofs', 0x65735546, 'network'],
  ['overlay', 0x794c7630, 'union'],
])('%s is known by its magic number', (name, magic, kind) => {
  expect(knownAs(magic)).toEqual({ name, kind });
});

test('of any other, nothing is said', () => {
  expect(knownAs(0x1234)).toBeNull();
});

test('a folder that is not there is an errno', () => {
  expect(() => fileSystemAt(`${scopeDir()}/none`)).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
});

describe('a mount', () => {
  needs(mountsMissing);

  test('in memory is told from the disk around it', () => {
    const dir = scopeDir();
    mountTmpfs(dir, 'size=16k');
    expect(fileSystemAt(dir)).toEqual({
      magic: 0x01021994,
      known: { name: 'tmpfs', kind: 'memory' },
    });
  });
});
