/**
 * Which fleet a gate belongs to. A home in no recognizable fleet opens no gate, since nothing could
 * hold it.
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
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mountBind, mountsMissing, mountTmpfs } from '../../../../test/support/mounts.ts';
import { needs } from '../../../../test/support/needs.ts';
import { openLink, pauseCommand } from '../../src/index.ts';
import { disk, hold, homeOf, liftAll } from '../support/fleets.ts';
import { opened, receiptsIn, refusedBy } from './opened.ts';

const code = (expected: string, hint = '') =>
  expect.objectContaining({ code: expected, hint: expect.stringContaining(hint) });

function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-gw-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a fleet in a temporary folder. */
function nested(...profiles: readonly string[]): string {
  const root = join(emptyFolder(), 'fleet');
  mkdirSync(join(root, 'profiles'), { recursive: true });
  for (const profile of profiles) mkdirSync(homeOf(root, profile));
  return root;
}

describe('a home that shows no fleet opens no gate', () => {
  test.each([
    ['the `profiles/` of a fleet', (root: string) => join(root, 'profiles')],
    ['a folder in a home', (root: string) => join(root, 'profiles/a/.fleet')],
  ])('%s: the nearest fleet is named', (_what, homeIn) => {
    const root = nested('a');
    opened(homeOf(root, 'a')).close();
    mkdirSync(homeIn(root), { recursive: true });
    expect(() => opened(homeIn(root))).toThrow(code('ROOT_UNRECOGNIZED', root));
  });

  test('the folder above a root', () => {
    expect(() => opened(dirname(nested('a')))).toThrow(code('ROOT_UNRECOGNIZED'));
  });

  test('a copy of a home, with what its gateway left there and with its sentinel', () => {
    const root = nested('a');
    const gate = opened(homeOf(root, 'a'));
    hold(homeOf(root, 'a'), 'bad deploy');
    expect(gate.admit({ door: 'turn' }).admitted).toBe(false);
    const copy = join(dirname(root), 'data');
    cpSync(homeOf(root, 'a'), copy, { recursive: true });
    expect(() => opened(copy)).toThrow(code('ROOT_UNRECOGNIZED', 'root'));
  });

  test('nor is there a /pause of it, or a link', () => {
    const empty = emptyFolder();
    expect(() => pauseCommand({ home: empty })).toThrow(code('ROOT_UNRECOGNIZED'));
    const link = { root: empty, software: 'x', profiles: () => [], onState: () => {} };
    expect(() => openLink(link)).toThrow(code('ROOT_UNRECOGNIZED'));
  });
});

describe('`root` says which fleet is meant', () => {
  test('a home of it is served as ever', () => {
    const root = nested('a');
    const gate = opened([homeOf(root, 'a'), root], { root });
    expect(gate.profiles).toEqual(['a', 'default']);
  });

  test('it must agree: a profile of another fleet is refused, and its own fleet named', () => {
    const [root, other] = [nested('a'), nested('a')];
    expect(() => opened(homeOf(other, 'a'), { root })).toThrow(code('PROFILE_INVALID', other));
    expect(() => opened(root, { root: other })).toThrow(code('PROFILE_INVALID', root));
  });

  test('it must be one itself', () => {
    const root = nested('a');
    const home = homeOf(root, 'a');
    expect(() => opened(home, { root: join(root, 'profiles') })).toThrow(code('ROOT_UNRECOGNIZED'));
    expect(() => opened(home, { root: join(root, 'gone') })).toThrow(code('ROOT_MISSING'));
  });

  test('a copy of a home is none of its profiles', () => {
    const root = nested('a');
    const copy = join(dirname(root), 'data');
    mkdirSync(copy);
    expect(() => opened(copy, { root })).toThrow(code('PROFILE_INVALID'));
  });

  test('/pause takes it too', () => {
    const [root, other] = [nested('a'), nested()];
    pauseCommand({ home: homeOf(root, 'a'), root });
    const mistaken = { home: homeOf(root, 'a'), root: other };
    expect(() => pauseCommand(mistaken)).toThrow(code('PROFILE_INVALID'));
  });

  describe('of a home that is mounted elsewhere', () => {
    needs(mountsMissing);

    test('it is that profile, held by its own sentinel and by its root’s', () => {
      const root = nested('a', 'b');
      const data = join(dirname(root), 'data');
      mkdirSync(data);
      mountBind(homeOf(root, 'b'), data);
      expect(() => opened(data)).toThrow(code('ROOT_UNRECOGNIZED'));
      const gate = opened(data, { root });
      expect(gate.profiles).toEqual(['b']);
      expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
      hold(root, 'all of it');
      expect(refusedBy(gate).holds).toMatchObject([{ scope: 'root' }]);
      liftAll(root);
      hold(data, 'this one');
      expect(refusedBy(gate).holds).toMatchObject([{ scope: 'profile' }]);
      gate.admit({ door: 'turn' });
      expect(receiptsIn(homeOf(root, 'b'))).toHaveLength(1);
    });
  });
});

describe('a gate of the root itself', () => {
  test('admits nobody once the root shows no longer that it is one', () => {
    const root = nested('a');
    const gate = opened(root);
    expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
    renameSync(join(root, 'profiles'), join(root, 'lanes'));
    expect(refusedBy(gate).holds).toMatchObject([{ unreadable: expect.stringContaining('fleet') }]);
    writeFileSync(join(root, 'fleet.yaml'), 'version: 1\n');
    expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
  });

  test('admits nobody in an empty folder that took its place', () => {
    const root = nested('a');
    const gate = opened(root);
    hold(root, 'bad deploy');
    renameSync(root, `${root}.away`);
    mkdirSync(root);
    expect(gate.ask({ door: 'turn' }).admitted).toBe(false);
  });

  test('is asked at the price of two looks, and a profile’s gate at that of one', () => {
    const looks: string[] = [];
    const counting = {
      ...disk,
      lstat: (path: string) => {
        looks.push(path);
        return disk.lstat(path);
      },
    };
    const root = nested('a');
    const asked = (home: string): number => {
      const gate = opened(home, { disk: counting, link: false });
      gate.ask({ door: 'turn' });
      looks.length = 0;
      gate.ask({ door: 'turn' });
      return looks.length;
    };
    // All scopes, and all but the last once more.
    expect(asked(homeOf(root, 'a'))).toBe((3 + 2) * 2 + 1);
    expect(asked(root)).toBe((2 + 1) * 2 + 2);
  });

  describe('that is a mount', () => {
    needs(mountsMissing);

    test('admits nobody while only its mount point is left', () => {
      const root = nested('a');
      const gate = opened(root);
      mountTmpfs(root, 'size=16k');
      expect(gate.ask({ door: 'turn' }).admitted).toBe(false);
    });
  });
});

test('a profile that is a link is bound by the root it is written under, with `root` and without', () => {
  const root = nested();
  const elsewhere = join(dirname(root), 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, homeOf(root, 'linked'));
  const gates = [
    opened(homeOf(root, 'linked')),
    opened(homeOf(root, 'linked'), { root, instance: 'two' }),
    opened(elsewhere, { root, instance: 'three' }),
  ];
  hold(root, 'all of it');
  for (const gate of gates) expect(refusedBy(gate).holds).toMatchObject([{ scope: 'root' }]);
  rmSync(homeOf(root, 'linked'));
  for (const gate of gates) expect(gate.ask({ door: 'turn' }).admitted).toBe(false);
});
