/**
 * `--all-profiles`: every profile that has a folder of its own, one by one, and never the root.
 */
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everythingBelow, makeFleet } from '../support/fleet.ts';
import { heldLanes, labelledFleet, writeProfile } from '../support/snapshot.ts';

describe('--all-profiles', () => {
  it('pauses every profile and not the root, and resumes them', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: null, c: null });
    const { code, stdout } = fleet.run(['pause', '--all-profiles']);
    expect(code).toBe(0);
    expect(stdout.match(/^PAUSED \w+/gm)).toEqual(['PAUSED a', 'PAUSED b', 'PAUSED c']);
    expect(heldLanes(fleet)).toEqual(['a', 'b', 'c']);
    expect(fleet.run(['assert', 'paused', '--all-profiles']).code).toBe(0);
    expect(fleet.run(['resume', '--all-profiles']).code).toBe(0);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('needs no labels: a broken profile.yaml is nobody’s business', () => {
    const fleet = labelledFleet({ a: { Bad: 'x' } });
    const { code, stderr } = fleet.run(['pause', '--all-profiles']);
    expect(code).toBe(0);
    expect(stderr).not.toContain('Bad');
  });

  it('says what it leaves out: the root’s own profile, and folders that are no profiles', () => {
    const fleet = labelledFleet({ a: null });
    const own = "not selected by --all-profiles: the root's own profile `default`";
    // A gateway may serve it, and only a watcher would know.
    expect(fleet.run(['pause', '--all-profiles']).stderr).toContain(own);
    writeProfile(fleet, undefined, {});
    mkdirSync(fleet.folder('Not A Lane'));
    const { code, stderr } = fleet.run(['pause', '--all-profiles']);
    expect(code).toBe(0);
    expect(stderr).toContain(own);
    expect(stderr).toContain('not selected: profiles/Not A Lane: not a profile name');
    expect(heldLanes(fleet)).toEqual(['a']);
  });

  it('of no profiles is refused', () => {
    const { root, run } = makeFleet();
    const { code, stderr } = run(['pause', '--all-profiles']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^NOT paused: .*there is no profile/);
    expect(everythingBelow(root)).toEqual(['profiles']);
  });

  it.each([['-p', 'a'], ['--allow-missing']])('with %s is refused', (...words) => {
    const fleet = labelledFleet({ a: null });
    expect(fleet.run(['pause', '--all-profiles', ...words]).code).toBe(2);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('a window in every profile is lifted in every profile', () => {
    const fleet = labelledFleet({ a: null, b: null });
    const words = ['window', '--all-profiles', '--', 'find', fleet.root, '-name', 'ESTOP'];
    const { code, stdout } = fleet.run(words);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(heldLanes(fleet)).toEqual([]);
  });
});
