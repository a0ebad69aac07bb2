/**
 * A folder that is no fleet: nothing holds in it, and a pause in it covers nobody. So whoever asks is
 * held, whoever writes is refused, and both are told the nearest fleet.
 */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mountBind, mountsMissing } from '../../../../test/support/mounts.ts';
import { needs } from '../../../../test/support/needs.ts';
import {
  everythingBelow,
  exists,
  type Fleet,
  fleetAt,
  makeFleet,
  place as placeBody,
  runFleet,
  temporaryFolder,
} from '../support/fleet.ts';

/** A fleet that is held, in a folder of its own, and beside it a copy of a home. */
function heldFleet(): Fleet & { copy: string } {
  const root = join(temporaryFolder(), 'fleet');
  mkdirSync(join(root, 'profiles/lane-a/.fleet/in-flight'), { recursive: true });
  mkdirSync(join(root, 'profiles/lane-b'));
  const fleet = fleetAt(root);
  placeBody(fleet.sentinel(), { generation: 'g', holds: [{ id: 'h', holder: 'operator' }] });
  const copy = join(dirname(root), 'data');
  cpSync(fleet.folder('lane-a'), copy, { recursive: true });
  return { ...fleet, copy };
}

type Place = (fleet: ReturnType<typeof heldFleet>) => string;

const PLACES: readonly (readonly [what: string, place: Place, nearest: boolean])[] = [
  ['the `profiles/` of a fleet', ({ root }) => join(root, 'profiles'), true],
  ['the folder above a root', ({ root }) => dirname(root), false],
  ['a copied home', ({ copy }) => copy, false],
  ['an empty folder', () => temporaryFolder(), false],
  ['a folder in a home', ({ folder }) => join(folder('lane-a'), '.fleet'), true],
];
const HOMES = PLACES.map(([what, place, nearest]) => ({ what, place, nearest }));
/** HERMES_HOME of these means the fleet above. */
const ROOTS = [
  ...HOMES,
  { what: 'a profile’s home', place: (({ folder }) => folder('lane-a')) as Place, nearest: true },
];

const READING = [
  ['status'],
  ['explain'],
  ['assert', 'paused'],
  ['assert', 'running'],
  ['assert', 'acknowledged'],
  ['assert', 'drained'],
  ['profiles'],
  ['history'],
  ['history', '--refused'],
  ['events', '--no-wait'],
];
const WRITING = [
  ['pause'],
  ['drain'],
  ['restart', '-p', 'lane-a'],
  ['pause', '--dry-run'],
  ['resume'],
  ['resume', '--everyone'],
  ['extend', '--ttl', '1h'],
  ['pause', '--all-profiles'],
  ['watcher', '--once'],
  ['watcher', '--check', '--timeout', '1s'],
];
const NOT_WRITTEN = expect.stringMatching(/is no fleet/);

describe.each(ROOTS)('--root of $what', ({ place, nearest }) => {
  it('tells readers that it is no fleet, and is 3', () => {
    const fleet = heldFleet();
    const dir = place(fleet);
    for (const words of READING) {
      const outcome = runFleet(['--root', dir, ...words]);
      expect({ words, ...outcome }).toEqual({ words, code: 3, stdout: '', stderr: NOT_WRITTEN });
      expect(outcome.stderr.includes(`\`${fleet.root}\``)).toBe(nearest);
    }
  });

  it('refuses writers with 2, and changes nothing', () => {
    const fleet = heldFleet();
    const dir = place(fleet);
    const before = everythingBelow(dir);
    for (const words of WRITING) {
      const outcome = runFleet(['--root', dir, ...words]);
      expect({ words, ...outcome }).toEqual({ words, code: 2, stdout: '', stderr: NOT_WRITTEN });
      expect(outcome.stderr.includes(`\`${fleet.root}\``)).toBe(nearest);
    }
    expect(everythingBelow(dir)).toEqual(before);
  });

  it('runs no command of a gate (75) or of a window (125)', () => {
    const fleet = heldFleet();
    const dir = place(fleet);
    const ran = join(fleet.root, 'ran');
    for (const [verb, code] of [
      ['gate', 75],
      ['window', 125],
    ] as const) {
      const outcome = runFleet(['--root', dir, verb, '--', 'touch', ran]);
      expect(outcome).toEqual({ code, stdout: '', stderr: NOT_WRITTEN });
      expect(exists(ran)).toBe(false);
    }
    expect(runFleet(['--root', dir, 'gate', '-p', 'lane-a']).code).toBe(75);
    expect(runFleet(['--root', dir, 'gate', '-l', 'tier=batch']).code).toBe(75);
  });

  it('doctor cannot examine it (3), and repairs nothing in it (2)', () => {
    const dir = place(heldFleet());
    const asked = runFleet(['--root', dir, 'doctor']);
    expect(asked.code).toBe(3);
    expect(asked.stdout).toMatch(/is\s+no\s+fleet/);
    expect(runFleet(['--root', dir, 'doctor', '--fix']).code).toBe(2);
  });
});

describe.each(HOMES)('a home variable of $what', ({ place }) => {
  it.each(['HERMES_HOME', 'FLEET_ROOT'])('%s opens no gate and pauses nothing', (name) => {
    const fleet = heldFleet();
    const env = { [name]: place(fleet) };
    const ran = join(fleet.root, 'ran');
    expect(runFleet(['gate', '--', 'touch', ran], { env }).code).toBe(75);
    expect(exists(ran)).toBe(false);
    expect(runFleet(['pause'], { env }).code).toBe(2);
    expect(runFleet(['assert', 'paused'], { env }).code).toBe(3);
  });
});

describe('a HERMES_HOME beside something else that says which fleet', () => {
  const gateOf = (words: readonly string[], env: Readonly<Record<string, string>>) =>
    runFleet([...words, 'gate', '--', 'true'], { env }).code;

  it('means its profile all the same, to `gate` and to `explain`', () => {
    const { root, run, folder } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const [held, free] = [folder('lane-a'), folder('lane-b')];
    expect(gateOf([], { FLEET_ROOT: root, HERMES_HOME: held })).toBe(75);
    expect(gateOf(['--root', root], { HERMES_HOME: held })).toBe(75);
    expect(gateOf([], { FLEET_ROOT: root, HERMES_HOME: free })).toBe(0);
    expect(gateOf([], { FLEET_ROOT: root, HERMES_HOME: root })).toBe(0);
    const env = { FLEET_ROOT: root, HERMES_HOME: held };
    expect(runFleet(['explain'], { env }).stdout).toContain('lane-a: paused');
  });

  it('opens no gate where it is no profile of the fleet that FLEET_ROOT names', () => {
    const [fleet, other] = [makeFleet('lane-a'), makeFleet('lane-b')];
    const env = { FLEET_ROOT: other.root, HERMES_HOME: fleet.folder('lane-a') };
    expect(gateOf([], env)).toBe(75);
    expect(gateOf(['--root', other.root], env)).toBe(0);
  });
});

it('a fresh ~/.hermes without profiles is no fleet yet, and the hint says what makes it one', () => {
  const home = temporaryFolder();
  mkdirSync(join(home, '.hermes'));
  const env = { HOME: home };
  const { code, stderr } = runFleet(['pause'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('`profiles/`');
  mkdirSync(join(home, '.hermes/profiles'));
  expect(runFleet(['pause'], { env }).code).toBe(0);
});

describe('a home mounted elsewhere', () => {
  needs(mountsMissing);

  it('opens no gate while its fleet is held, and with --root it does what that fleet says', () => {
    const { root, run, folder } = heldFleet();
    const data = join(dirname(root), 'mounted');
    mkdirSync(data);
    mountBind(folder('lane-b'), data);
    const env = { HERMES_HOME: data };
    expect(runFleet(['gate', '--', 'true'], { env }).code).toBe(75);
    run(['resume']);
    expect(runFleet(['gate', '--', 'true'], { env }).code).toBe(75);
    expect(runFleet(['gate', '--root', root, '-p', 'lane-b', '--', 'true'], { env }).code).toBe(0);
  });
});

describe('init makes a root anywhere that is sensible', () => {
  it('also in a folder that was no fleet', () => {
    const dir = temporaryFolder();
    expect(runFleet(['status', '--root', dir]).code).toBe(3);
    expect(runFleet(['init', dir, '--empty']).code).toBe(0);
    expect(runFleet(['status', '--root', dir]).code).toBe(0);
  });

  it.each([
    ['a folder called `profiles`', 'profiles'],
    ['where the home of a profile is', 'profiles/lane-x'],
  ])('not in %s, by a link either', (_what, path) => {
    const { root } = makeFleet('lane-a');
    const link = join(temporaryFolder(), 'link');
    symlinkSync(join(root, dirname(path)), link);
    const name = path.split('/').at(-1) ?? '';
    for (const dir of [join(root, path), join(link, name)]) {
      expect(runFleet(['init', dir, '--empty']).code).toBe(2);
    }
    expect(everythingBelow(root)).toEqual(['profiles', 'profiles/lane-a']);
  });
});

describe('HERMES_HOME of a profile', () => {
  it('means that profile to a bare gate: what holds it refuses', () => {
    const { run, folder, sentinel } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    expect(exists(sentinel('lane-a'))).toBe(true);
    const gate = (lane: string) => runFleet(['gate'], { env: { HERMES_HOME: folder(lane) } });
    expect(gate('lane-a')).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/^REFUSED lane-a/),
    });
    expect(gate('lane-b')).toMatchObject({ code: 0, stdout: 'ADMITTED lane-b\n' });
    const link = join(temporaryFolder(), 'home');
    symlinkSync(folder('lane-a'), link);
    expect(runFleet(['gate'], { env: { HERMES_HOME: link } }).code).toBe(75);
    // A profile that is named on the command line comes first.
    const env = { HERMES_HOME: folder('lane-a') };
    expect(runFleet(['gate', '-p', 'lane-b'], { env }).code).toBe(0);
  });

  it('means that profile to a bare explain', () => {
    const { run, folder } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--reason', 'only this one']);
    const env = { HERMES_HOME: folder('lane-a') };
    expect(runFleet(['explain'], { env }).stdout).toContain('only this one');
    const { stdout } = runFleet(['explain', '--json'], { env });
    expect(JSON.parse(stdout).lanes).toMatchObject([{ profile: 'lane-a', admitted: false }]);
  });

  it.each([
    ['misspelt', 'lane-x'],
    ['of no lane', 'Lane A'],
    ['called default', 'default'],
  ])('that is %s opens no gate', (_what, name) => {
    const { folder, root } = makeFleet('lane-a');
    if (name !== 'lane-x') mkdirSync(folder(name));
    const ran = join(root, 'ran');
    const env = { HERMES_HOME: folder(name) };
    expect(runFleet(['gate', '--', 'touch', ran], { env }).code).toBe(75);
    expect(exists(ran)).toBe(false);
  });

  it.each([[['pause']], [['pause', '--dry-run']], [['resume']], [['extend', '--ttl', '1h']]])(
    '%j does not guess whether the profile or the fleet is meant: 2, with both named',
    (words) => {
      const { folder, root, sentinel } = makeFleet('lane-a');
      const home = { HERMES_HOME: folder('lane-a') };
      for (const env of [home, { ...home, FLEET_ROOT: root }]) {
        const { code, stderr } = runFleet(words, { env });
        expect(code).toBe(2);
        expect(stderr).toContain('-p lane-a');
        expect(stderr).toContain(`--root ${root}`);
        expect([exists(sentinel()), exists(sentinel('lane-a'))]).toEqual([false, false]);
      }
    },
  );

  it('of another fleet does not stand in the way of the one that FLEET_ROOT names', () => {
    const [fleet, other] = [makeFleet('lane-a'), makeFleet('lane-b')];
    const env = { FLEET_ROOT: other.root, HERMES_HOME: fleet.folder('lane-a') };
    expect(runFleet(['pause'], { env }).code).toBe(0);
    expect([exists(other.sentinel()), exists(fleet.sentinel())]).toEqual([true, false]);
  });

  it('a window does not guess either, and runs nothing', () => {
    const { folder, root } = makeFleet('lane-a');
    const ran = join(root, 'ran');
    const env = { HERMES_HOME: folder('lane-a') };
    const { code, stderr } = runFleet(['window', '--', 'touch', ran], { env });
    expect(code).toBe(125);
    expect(stderr).toContain('-p lane-a');
    expect(exists(ran)).toBe(false);
  });

  it('each of the two that it asks for does what it says', () => {
    const { folder, root, sentinel } = makeFleet('lane-a');
    const env = { HERMES_HOME: folder('lane-a') };
    expect(runFleet(['pause', '-p', 'lane-a'], { env }).code).toBe(0);
    expect([exists(sentinel()), exists(sentinel('lane-a'))]).toEqual([false, true]);
    expect(runFleet(['pause', '--root', root], { env }).code).toBe(0);
    expect(exists(sentinel())).toBe(true);
    expect(runFleet(['resume', '--all-profiles'], { env }).code).not.toBe(2);
    expect(exists(sentinel('lane-a'))).toBe(false);
  });

  it('means the fleet to those that show all of it', () => {
    const { folder, root } = makeFleet('lane-a', 'lane-b');
    const env = { HERMES_HOME: folder('lane-a') };
    expect(runFleet(['status'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`root ${root} (HERMES_HOME)`),
    });
    expect(runFleet(['assert', 'running'], { env }).code).toBe(0);
  });
});
