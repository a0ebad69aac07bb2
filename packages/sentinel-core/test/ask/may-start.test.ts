/**
 * The one call of a program that starts work: whatever is not known, is refused, and nothing throws.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../../src/ask/ask.ts';
import { mayStart } from '../../src/ask/may-start.ts';
import { arm } from '../../src/disk/arm.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { profileChain } from '../../src/fleet/chain.ts';
import { mountBind, mountsMissing, mountTmpfs } from '../support/mounts.ts';
import { needs } from '../support/needs.ts';

const disk = nodeDisk();

function fleet(): { base: string; root: string; home: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-ask-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'fleet');
  const home = join(root, 'profiles/lane-a');
  mkdirSync(home, { recursive: true });
  return { base, root, home };
}

it('no work starts while a hold moves from the root to the profile', () => {
  const { root, home } = fleet();
  arm(disk, root, { holder: 'ci' });
  let moved = false;
  const moving: typeof disk = {
    ...disk,
    lstat(path) {
      // The profile has been read, and the root has not.
      if (path === `${root}/.ESTOP.txn` && !moved) {
        moved = true;
        arm(disk, home, { holder: 'ci' });
        lift(disk, root, { everyone: true });
      }
      return disk.lstat(path);
    },
  };
  expect(mayStart(home, { disk: moving }).admitted).toBe(false);
  expect(moved).toBe(true);
});

describe('work may start', () => {
  it('where nothing holds, in a profile and in the root', () => {
    const { root, home } = fleet();
    expect(mayStart(home)).toEqual({ admitted: true, profile: 'lane-a' });
    expect(mayStart(root)).toEqual({ admitted: true, profile: 'default' });
  });

  it('where each hold lets this principal pass, and for nobody else', () => {
    const { root, home } = fleet();
    arm(disk, root, { allow: { userIds: ['ops'] } });
    expect(mayStart(home, { principal: 'ops' }).admitted).toBe(true);
    expect(mayStart(home, { principal: 'ci' }).admitted).toBe(false);
    expect(mayStart(home).admitted).toBe(false);
  });
});

describe('work may not start', () => {
  it.each(['root', 'home'] as const)('where the %s is held, and it is told where', (place) => {
    const made = fleet();
    arm(disk, made[place], { reason: 'bad deploy' });
    expect(mayStart(made.home)).toMatchObject({
      admitted: false,
      profile: 'lane-a',
      why: expect.stringContaining(made[place]),
      denials: [{ hold: { reason: 'bad deploy' } }],
    });
  });

  it('in a profile that is a link, while the root it stands in is held', () => {
    const { base, root } = fleet();
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(root, 'profiles/linked'));
    expect(mayStart(join(root, 'profiles/linked')).admitted).toBe(true);
    arm(disk, root, {});
    expect(mayStart(join(root, 'profiles/linked')).admitted).toBe(false);
  });

  it.each([
    ['no home', () => undefined],
    ['an empty home', () => ''],
    ['a home that is no text', () => 7 as unknown as string],
    ['a home with a NUL in it', () => '/srv/\0'],
    ['a home that is gone', ({ base }) => join(base, 'gone')],
    ['a misspelt profile', ({ root }) => join(root, 'profiles/lane-b')],
    ['a file', ({ root }) => `${root}/profiles/file`],
    ['a profile that is a link to nowhere', ({ root }) => join(root, 'profiles/dangling')],
    ['the `profiles/` of a fleet', ({ root }) => join(root, 'profiles')],
    ['the folder above a root', ({ base }) => base],
    ['a copied home', ({ base }) => join(base, 'copy')],
  ] satisfies [string, (made: ReturnType<typeof fleet>) => string | undefined][])(
    'for %s: it is refused and told why, and nothing is thrown',
    (_what, homeOf) => {
      const made = fleet();
      writeFileSync(join(made.root, 'profiles/file'), '');
      symlinkSync('nowhere', join(made.root, 'profiles/dangling'));
      cpSync(made.home, join(made.base, 'copy'), { recursive: true });
      const answer = mayStart(homeOf(made));
      expect(answer).toMatchObject({ admitted: false, denials: [] });
      expect((answer as { why: string }).why).not.toBe('');
    },
  );

  it('of a fleet that is named and is another one', () => {
    const [one, other] = [fleet(), fleet()];
    expect(mayStart(one.home, { root: one.root }).admitted).toBe(true);
    expect(mayStart(one.home, { root: other.root }).admitted).toBe(false);
  });

  it('where the disk fails: unknown is held', () => {
    const { home } = fleet();
    const failing = {
      ...disk,
      lstat: () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    };
    expect(mayStart(home, { disk: failing }).admitted).toBe(false);
  });

  describe('through a mount', () => {
    needs(mountsMissing);

    it('of a profile’s home alone, unless its fleet is named', () => {
      const { base, root, home } = fleet();
      const data = join(base, 'data');
      mkdirSync(data);
      mountBind(home, data);
      expect(mayStart(data).admitted).toBe(false);
      expect(mayStart(data, { root })).toEqual({ admitted: true, profile: 'lane-a' });
      arm(disk, root, {});
      expect(mayStart(data, { root }).admitted).toBe(false);
    });
  });
});

describe('asking again later', () => {
  const asking = (root: string) =>
    ask({
      disk,
      scopes: profileChain(root, 'default').scopes,
      applicant: { principal: null, profile: 'default' },
    });

  it('a root that shows no longer that it is one is not known to be free', () => {
    const { root } = fleet();
    expect(asking(root)).toMatchObject({ admitted: true, unknown: null });
    renameSync(join(root, 'profiles'), join(root, 'lanes'));
    expect(asking(root)).toMatchObject({ admitted: false, unknown: root });
  });

  describe('where the root is a mount', () => {
    needs(mountsMissing);

    it('the empty folder that covers it is not known to be free', () => {
      const { root } = fleet();
      arm(disk, root, {});
      expect(asking(root).admitted).toBe(false);
      mountTmpfs(root, 'size=16k');
      expect(asking(root)).toMatchObject({ admitted: false, unknown: root });
    });
  });
});
