/**
 * `-l`: profiles by what they are. All of a selection is known before any of it is used.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spoilProfiles } from '../support/fleet.ts';
import { heldLanes, labelledFleet, snapshotOf, writeProfile } from '../support/snapshot.ts';

const LANES = {
  'lane-a': { tier: 'interactive', team: 'support' },
  'lane-b': { tier: 'interactive', team: 'platform' },
  nightly: { tier: 'batch', team: 'platform' },
  bare: null,
};

const SELECTORS: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['-l', 'tier=interactive'],
    ['lane-a', 'lane-b'],
  ],
  [['--label', 'tier=batch'], ['nightly']],
  [['--label=tier=batch'], ['nightly']],
  [['-ltier=batch'], ['nightly']],
  [
    ['-l', 'tier!=interactive'],
    ['bare', 'nightly'],
  ],
  [
    ['-l', 'tier'],
    ['lane-a', 'lane-b', 'nightly'],
  ],
  [['-l', '!tier'], ['bare']],
  [['-l', 'tier=interactive', '-l', 'team=platform'], ['lane-b']],
  [['-l', 'team!=platform', '-l', 'tier'], ['lane-a']],
  [['-l', 'tier=batch', '-l', 'tier=batch'], ['nightly']],
];

describe('the profiles that a selector means, and no others, are paused', () => {
  it.each(SELECTORS)('%j', (words, expected) => {
    const fleet = labelledFleet(LANES);
    const { code, stderr } = fleet.run(['pause', ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(heldLanes(fleet)).toEqual(expected);
  });

  it('labels match as they are written: `no`, `1.10` and `007` are words', () => {
    const fleet = labelledFleet({ a: { on: 'no' }, b: { v: '1.10' }, c: { id: '007' } });
    for (const [selector, lane] of [
      ['on=no', 'a'],
      ['v=1.10', 'b'],
      ['id=007', 'c'],
    ] as const) {
      const { document } = fleet.json(['status', '-l', selector]);
      expect(document.lanes.map(({ profile }: { profile: string }) => profile)).toEqual([lane]);
    }
    expect(fleet.run(['status', '-l', 'v=1.1']).code).toBe(2);
    expect(fleet.run(['status', '-l', 'on=false']).code).toBe(2);
  });

  it('settings that are swapped by their link are followed', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: null });
    mkdirSync(join(fleet.folder('b'), '..data'));
    writeFileSync(join(fleet.folder('b'), '..data', 'p'), 'version: 1\nlabels: { tier: x }\n');
    symlinkSync('..data/p', join(fleet.folder('b'), 'profile.yaml'));
    fleet.run(['pause', '-l', 'tier=x']);
    expect(heldLanes(fleet)).toEqual(['a', 'b']);
  });
});

const REFUSED: readonly (readonly [string, readonly string[], string])[] = [
  ['a selector that matches nothing', ['-l', 'tier=gold'], 'labels here: team=platform'],
  ['two that exclude each other', ['-l', 'tier=batch', '-l', '!tier'], 'no profile matches'],
  ['an empty selector', ['-l', ''], 'is empty'],
  ['one without a value', ['-l', 'tier='], 'names no value'],
  ['a list', ['-l', 'tier=batch,team=x'], 'repeat the option'],
  ['a mistyped operator', ['-l', 'tier==batch'], 'did you mean `tier=batch`?'],
  ['an impossible key', ['-l', 'Tier=batch'], 'did you mean `tier`?'],
  ['names as well', ['-l', 'tier=batch', '-p', 'lane-a'], 'cannot be used with'],
  ['every profile as well', ['-l', 'tier=batch', '--all-profiles'], 'cannot be used with'],
  ['absent ones accepted', ['-l', 'tier=batch', '--allow-missing'], 'cannot be used with'],
  ['a forgotten value', ['-l', '-p', 'lane-a'], 'looks like an option'],
  ['= after the short option', ['-l=tier'], 'has a `=` after a short option'],
  ['a generation for several', ['-l', 'tier', '--if-generation', 'g'], 'belongs to one scope'],
];

describe('a selection that is no selection is refused before anything is written', () => {
  it.each(REFUSED)('%s', (_what, words, said) => {
    const fleet = labelledFleet(LANES);
    const before = snapshotOf(fleet.root);
    const { code, stdout, stderr } = fleet.run(['pause', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT paused: /);
    expect(stderr).toContain(said);
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it('a fleet without labels says that it has none', () => {
    const { stderr } = labelledFleet({ a: null }).run(['pause', '-l', 'tier=x']);
    expect(stderr).toContain('no profile here has a label');
  });

  it('profiles that cannot be listed: what -l means is not known, and nothing is paused', () => {
    const fleet = labelledFleet({});
    spoilProfiles(fleet.root);
    const { code, stderr } = fleet.run(['pause', '-l', 'tier=x']);
    expect(code).toBe(1);
    expect(stderr).toContain('NOT paused: the profiles cannot be listed: ENOTDIR');
    expect(fleet.run(['assert', 'running', '-l', 'tier=x']).code).toBe(3);
  });
});

const PARTIAL: readonly (readonly [readonly string[], number])[] = [
  [['pause'], 4],
  [['drain', '--dry-run'], 4],
  [['resume'], 4],
  [['status'], 3],
  [['explain'], 3],
  [['assert', 'running'], 3],
  [['profiles'], 3],
  [['history'], 3],
];
const WHOLE: readonly (readonly [readonly string[], number])[] = [
  [['gate'], 2],
  [['window', '--', 'true'], 125],
  [['gate', '--', 'true'], 125],
];

describe('one profile whose profile.yaml is refused', () => {
  const withRefused = () => {
    const fleet = labelledFleet(LANES);
    writeFileSync(join(fleet.folder('bare'), 'profile.yaml'), 'version: 1\nlables: {}\n');
    return fleet;
  };

  it.each(PARTIAL)('%j does what it can with the others, and names that one', (words, expected) => {
    const fleet = withRefused();
    const [verb = '', ...rest] = words;
    const { code, stderr } = fleet.run([verb, '-l', 'tier=batch', ...rest]);
    expect(code).toBe(expected);
    expect(stderr).toContain('NOT reached by -l: bare: its labels cannot be read');
    expect(stderr).toContain(`${fleet.folder('bare')}/profile.yaml:2:1: `);
    expect(stderr).toContain('did you mean `labels`?');
    expect(stderr).toContain('-p bare');
  });

  it('keeps no pause from the profiles that are known to be meant', () => {
    const fleet = withRefused();
    fleet.run(['pause', '-l', 'tier=batch']);
    const batch = heldLanes(fleet);
    expect(batch.length).toBeGreaterThan(0);
    expect(batch).not.toContain('bare');
    expect(fleet.run(['resume', '-l', 'tier=batch']).code).toBe(4);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('what goes wrong with the others outranks it', () => {
    const fleet = withRefused();
    fleet.run(['pause']);
    expect(fleet.run(['resume', '-l', 'tier=batch']).code).toBe(1);
  });

  it('makes no assertion true, in any format', () => {
    const fleet = withRefused();
    const words = ['assert', 'running', '-l', 'tier=batch'];
    const { document } = fleet.json(words);
    expect(document).toMatchObject({ holds: false, labels_unknown: ['bare'] });
    expect(fleet.run([...words, '--format', 'github']).stdout).toMatch(/^::error .*bare/);
    expect(fleet.run([...words, '--format', 'junit']).stdout).toContain('errors="1"');
  });

  it('where no other profile matches, nothing is done', () => {
    const fleet = withRefused();
    const before = snapshotOf(fleet.root);
    const { code, stderr } = fleet.run(['pause', '-l', 'tier=gold']);
    expect(code).toBe(2);
    expect(stderr).toContain('NOT paused: labels cannot be read');
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it.each(WHOLE)(
    '%j refuses: of a lane that it would not hold, or ask, it would claim too much',
    (words, expected) => {
      const fleet = withRefused();
      const [verb = '', ...rest] = words;
      const { code, stderr } = fleet.run([verb, '-l', 'tier=batch', ...rest]);
      expect(code).toBe(expected);
      expect(stderr).toContain('labels cannot be read');
    },
  );

  it('one that this user may not read is such a profile', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: { tier: 'y' } });
    chmodSync(join(fleet.folder('b'), 'profile.yaml'), 0o000);
    const { code, stderr } = fleet.run(['status', '-l', 'tier=x'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('EACCES');
  });

  it('lanes named with -p and the whole fleet are paused all the same', () => {
    const fleet = labelledFleet({ a: null, b: null });
    writeFileSync(join(fleet.folder('b'), 'profile.yaml'), '{');
    expect(fleet.run(['pause', '-p', 'a', '-p', 'b']).code).toBe(0);
    expect(fleet.run(['pause']).code).toBe(0);
    expect(heldLanes(fleet)).toEqual(['(root)', 'a', 'b']);
  });
});

describe('every verb takes a selection', () => {
  it('resume lifts in those profiles only', () => {
    const fleet = labelledFleet(LANES);
    fleet.run(['pause', '--all-profiles']);
    expect(fleet.run(['resume', '-l', 'tier']).code).toBe(0);
    expect(heldLanes(fleet)).toEqual(['bare']);
  });

  it('extend moves the deadlines of those profiles only', () => {
    const fleet = labelledFleet(LANES);
    fleet.run(['pause', '--all-profiles', '--ttl', '1h']);
    const { code, document } = fleet.json(['extend', '-l', 'team=platform', '--ttl', '3h']);
    expect(code).toBe(0);
    expect(document.results.map(({ profile }: { profile: string }) => profile)).toEqual([
      'lane-b',
      'nightly',
    ]);
  });

  it('status, explain, assert and profiles speak of those profiles only', () => {
    const fleet = labelledFleet(LANES);
    fleet.run(['pause', '-p', 'nightly']);
    const names = (words: readonly string[], list: string): string[] =>
      fleet
        .json([...words, '-l', 'tier=batch'])
        .document[list].map(({ profile }: { profile: string }) => profile);
    expect(names(['status'], 'lanes')).toEqual(['nightly']);
    expect(names(['explain'], 'lanes')).toEqual(['nightly']);
    expect(names(['profiles'], 'lanes')).toEqual(['nightly']);
    expect(names(['assert', 'paused'], 'judgements')).toEqual(['nightly']);
    expect(fleet.run(['assert', 'running', '-l', 'tier=interactive']).code).toBe(0);
    expect(fleet.run(['assert', 'running', '-l', 'tier']).code).toBe(1);
  });

  it('window holds those profiles while its command runs, and no longer', () => {
    const fleet = labelledFleet(LANES);
    const words = ['window', '-l', 'tier=interactive', '--', 'find', fleet.root, '-name', 'ESTOP'];
    const { code, stdout } = fleet.run(words);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').sort()).toEqual([
      fleet.sentinel('lane-a'),
      fleet.sentinel('lane-b'),
    ]);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('a gate asks for one profile: labels of several are refused, and nothing is run', () => {
    const fleet = labelledFleet(LANES);
    const one = fleet.run(['gate', '-l', 'tier=batch', '--', 'echo', 'ran']);
    expect(one).toMatchObject({ code: 0, stdout: 'ran\n' });
    const several = fleet.run(['gate', '-l', 'tier=interactive', '--', 'echo', 'ran']);
    expect(several).toMatchObject({ code: 125, stdout: '' });
    expect(several.stderr).toContain('lane-a, lane-b');
    expect(fleet.run(['gate', '-l', 'tier']).code).toBe(2);
    fleet.run(['pause', '-p', 'nightly']);
    expect(fleet.run(['gate', '-l', 'tier=batch']).code).toBe(75);
  });
});

describe('a selection of several scopes', () => {
  it('one that cannot be paused does not keep the others from it, and the status is the worst', () => {
    const fleet = labelledFleet({ a: { t: 'x' }, b: { t: 'x' }, c: { t: 'x' } });
    for (const lane of ['a', 'c']) chmodSync(fleet.folder(lane), 0o777);
    const { code, stdout, stderr } = fleet.run(['pause', '-l', 't=x'], { ordinary: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT paused: b: /m);
    expect(stdout).toContain('PAUSED a');
    expect(stdout).toContain('PAUSED c');
    expect(heldLanes(fleet)).toEqual(['a', 'c']);
  });

  it('labels of the root’s own profile: pausing it alone is refused, with the explanation', () => {
    const fleet = labelledFleet({ a: { tier: 'x' } });
    writeProfile(fleet, undefined, { tier: 'x' });
    const { code, stderr } = fleet.run(['pause', '-l', 'tier=x']);
    expect(code).toBe(2);
    expect(stderr).toContain("its sentinel is the fleet's");
    expect(heldLanes(fleet)).toEqual([]);
    expect(fleet.json(['status', '-l', 'tier=x']).document.lanes).toHaveLength(2);
  });

  it('a generation is accepted where the labels are those of one profile', () => {
    const fleet = labelledFleet(LANES);
    const words = ['pause', '-l', 'tier=batch', '--if-generation', 'none'];
    expect(fleet.run(words).code).toBe(0);
    expect(fleet.run(words).code).toBe(6);
  });
});
