/**
 * Which fleet the command works on, and that it always says so.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  everythingBelow,
  exists,
  makeFleet,
  runFleet,
  runInShell,
  temporaryFolder,
} from '../support/fleet.ts';

describe('the root', () => {
  it('is told with where it came from, by every verb', () => {
    const { root } = makeFleet('lane-a');
    for (const words of [['status'], ['explain'], ['pause'], ['resume']]) {
      const { stdout } = runFleet(words, { env: { FLEET_ROOT: root } });
      expect(stdout).toMatch(/(root|in) +\S+ \(FLEET_ROOT\)/);
    }
  });

  it('in ~/.hermes is found without being told, and the lifting command needs no --root', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.hermes', 'profiles', 'lane-a'), { recursive: true });
    const { stdout } = runFleet(['pause'], { env: { HOME: home } });
    expect(stdout).toContain('(~/.hermes)');
    expect(stdout).toMatch(/lift with +fleet resume\n/);
  });

  it.each([
    ['no home folder at all', {}],
    ['an empty home folder', { HOME: '' }],
    ['a home folder without a fleet', { HOME: '/var/empty-nowhere' }],
    ['a FLEET_ROOT that does not exist', { FLEET_ROOT: '/nowhere/fleet' }],
    ['a HERMES_HOME that does not exist', { HERMES_HOME: '/nowhere/hermes' }],
  ])('with %s nothing is paused: exit 2, and what to set', (_what, env) => {
    const { code, stdout, stderr } = runFleet(['pause'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT paused: /);
    expect(stderr).toContain('FLEET_ROOT');
  });

  it('another user’s empty home is not made into a fleet', () => {
    const home = temporaryFolder();
    expect(runFleet(['pause'], { env: { HOME: home } }).code).toBe(2);
    expect(everythingBelow(home)).toEqual([]);
  });

  it('relative, in a folder that was removed, is exit 2', () => {
    const gone = join(temporaryFolder(), 'gone');
    mkdirSync(gone);
    const line = `cd '${gone}' && rmdir '${gone}' && "$@"`;
    expect(runInShell(line, ['status', '--root', '.']).code).not.toBe(0);
    rmSync(gone, { recursive: true, force: true });
  });
});

describe('links', () => {
  it('HERMES_HOME through a link: the pause reaches the real fleet', () => {
    const { root, sentinel } = makeFleet('lane-a');
    const link = join(temporaryFolder(), 'link');
    symlinkSync(root, link);
    const env = { HERMES_HOME: link };
    expect(runFleet(['pause'], { env }).stdout).toContain(`in ${root} (HERMES_HOME)`);
    expect(exists(sentinel())).toBe(true);
    expect(runFleet(['assert', 'paused', '-p', 'lane-a'], { env }).code).toBe(0);
  });

  it('HERMES_HOME of a profile, through a link: the root above is the fleet', () => {
    const { root, folder } = makeFleet('lane-a');
    const link = join(temporaryFolder(), 'home');
    symlinkSync(folder('lane-a'), link);
    for (const home of [folder('lane-a'), link]) {
      const { code, stdout } = runFleet(['status'], { env: { HERMES_HOME: home } });
      expect(code).toBe(0);
      expect(stdout).toContain(`root ${root} (HERMES_HOME)`);
    }
  });

  it('a profile reached through a link has its own sentinel and this root’s', () => {
    const elsewhere = temporaryFolder();
    const { json, run, folder } = makeFleet('lane-a');
    symlinkSync(elsewhere, folder('linked'));
    expect(run(['pause', '-p', 'linked']).code).toBe(0);
    expect(bodyOf(join(elsewhere, 'ESTOP')).holds).toHaveLength(1);
    run(['pause']);
    const { document } = json(['status', '-p', 'linked']);
    expect(document.lanes[0].held_by).toEqual(['profile', 'root']);
    const env = { HERMES_HOME: folder('linked') };
    expect(runFleet(['assert', 'paused', '-p', 'linked'], { env }).code).toBe(0);
  });
});
