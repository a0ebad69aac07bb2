/**
 * `fleet profiles`: every profile, what its profile.yaml says, and what is wrong with it.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFleet, spoil, spoilProfiles, UNSAFE } from '../support/fleet.ts';
import { labelledFleet, snapshotOf } from '../support/snapshot.ts';

describe('what is shown', () => {
  it('each profile with its state, its labels and its description', () => {
    const fleet = labelledFleet({ a: { tier: 'batch', team: 'x' }, b: null });
    writeFileSync(
      join(fleet.folder('b'), 'profile.yaml'),
      'version: 1\ndescription: Reports of the night\ngateway: { expected: true }\n',
    );
    fleet.run(['pause', '-p', 'a']);
    const { code, stdout, stderr } = fleet.run(['profiles']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      '2 profiles',
      `root ${fleet.root} (--root)`,
      '',
      'PROFILE  STATE    LABELS             DESCRIPTION',
      'a        paused   tier=batch team=x',
      'b        running                     Reports of the night',
      '',
    ]);
    expect(fleet.json(['profiles']).document).toMatchObject({
      schema: 'fleet/profiles/v1',
      profiles_unreadable: null,
      lanes: [
        {
          profile: 'a',
          home: fleet.folder('a'),
          state: 'paused',
          held_by: ['profile'],
          settings: 'read',
          description: null,
          labels: { tier: 'batch', team: 'x' },
          gateway_expected: null,
          problems: [],
        },
        { profile: 'b', state: 'free', labels: {}, gateway_expected: true },
      ],
    });
  });

  it('a profile without a profile.yaml is a profile without labels', () => {
    const { document, code } = makeFleet('a').json(['profiles']);
    expect(code).toBe(0);
    expect(document.lanes).toMatchObject([{ settings: 'absent', labels: {}, description: null }]);
  });

  it('-p and -l choose, and nothing is written', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: { tier: 'y' }, c: null });
    const before = snapshotOf(fleet.root);
    const names = (words: readonly string[]): string[] =>
      fleet
        .json(['profiles', ...words])
        .document.lanes.map(({ profile }: { profile: string }) => profile);
    expect(names(['-l', 'tier'])).toEqual(['a', 'b']);
    expect(names(['-p', 'c'])).toEqual(['c']);
    expect(names([])).toEqual(['a', 'b', 'c']);
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it('folders that are no profiles are reported', () => {
    const { run, json, folder } = makeFleet('a', 'Not A Lane');
    symlinkSync('nowhere', folder('gone'));
    expect(run(['profiles']).stdout).toContain(
      'not a profile: profiles/Not A Lane: not a profile name',
    );
    expect(json(['profiles']).document.rejected.map(({ name }: { name: string }) => name)).toEqual([
      'Not A Lane',
      'gone',
    ]);
  });

  it('a hundred profiles fit 80 columns where there are no more', () => {
    const lanes = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `lane-${at}`,
        at % 2 ? { team: 'x'.repeat(63) } : null,
      ]),
    );
    const { stdout } = labelledFleet(lanes).run(['profiles'], { env: { COLUMNS: '80' } });
    const [, root = '', ...lines] = stdout.split('\n');
    expect(root).toMatch(/^root /);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('what is wrong is said, and is exit 3', () => {
  it('a profile.yaml that is refused: all of its problems, with line and column', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: null });
    const path = join(fleet.folder('b'), 'profile.yaml');
    writeFileSync(path, 'version: 1\nlables: {}\nlabels:\n  Tier: x\n');
    const { code, stdout, stderr } = fleet.run(['profiles']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^b +running +NOT KNOWN$/m);
    expect(stdout).toMatch(/^a +running +tier=x$/m);
    expect(stderr).toContain(`${path}:2:1: `);
    expect(stderr).toContain(`${path}:4:3: `);
    const [, lane] = fleet.json(['profiles']).document.lanes;
    expect(lane).toMatchObject({ settings: 'rejected', labels: null });
    expect(lane.problems).toMatchObject([
      { code: 'unknown-key', file: path, line: 2, column: 1, key: 'lables' },
      { code: 'invalid-value', line: 4, column: 3 },
    ]);
  });

  it('a folder in the place of a profile.yaml, and one that may not be read', () => {
    const fleet = makeFleet('a', 'b');
    mkdirSync(join(fleet.folder('a'), 'profile.yaml'));
    writeFileSync(join(fleet.folder('b'), 'profile.yaml'), '', { mode: 0o000 });
    const { code, stderr } = fleet.run(['profiles'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('this is a folder');
    expect(stderr).toContain('EACCES');
  });

  it('a profile whose state cannot be read counts as held', () => {
    const fleet = makeFleet('a', 'b');
    spoil(fleet.sentinel('a'));
    chmodSync(fleet.folder('b'), 0o700);
    const { code, stdout, stderr } = fleet.run(['profiles']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^a +UNREADABLE/m);
    expect(stderr).toContain('a cannot be read, and counts as held');
  });

  it('profiles that cannot be listed', () => {
    const { root, run } = makeFleet();
    spoilProfiles(root);
    const { code, stderr } = run(['profiles']);
    expect(code).toBe(3);
    expect(stderr).toContain('the profiles cannot be listed: ENOTDIR');
  });

  it('an unknown profile and a stray word are exit 2', () => {
    const { run } = makeFleet('a');
    expect(run(['profiles', '-p', 'b'])).toMatchObject({ code: 2, stdout: '' });
    expect(run(['profiles', 'a'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('a description with control characters never reaches a terminal as such', () => {
    const { run, folder } = makeFleet('a');
    writeFileSync(
      join(folder('a'), 'profile.yaml'),
      'version: 1\ndescription: "a\\e[2J\\u202eb"\n',
    );
    const { stdout, stderr } = run(['profiles']);
    expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(UNSAFE);
  });
});
