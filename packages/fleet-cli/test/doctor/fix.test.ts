/**
 * `fleet doctor --fix`: ends what dead processes left half-done, and removes what has expired.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '@fleet-estop/sentinel-core';
import { describe, expect, it } from 'vitest';
import { bodyOf, linesOf, makeFleet, PASSED, place } from '../support/fleet.ts';
import { examine } from './fleets.ts';

const disk = nodeDisk();
/** As a process that is there, one that is not, and one of another host make them. */
const livingToken = (): string => disk.token();
const deadToken = (): string => disk.token().replace(/\.\d+\./, '.4194305.');
const strangeToken = (): string => `another.1.b.${disk.token().split('.').at(-1)}`;

const HOLD = { holds: [{ id: 'x', holder: 'sre', reason: 'kept' }] };

/** Takes the sentinel out, as a retirement does, and dies. */
function takeOut(dir: string, token: string): void {
  const owned = join(dir, '.ESTOP.txn', token);
  mkdirSync(owned, { recursive: true });
  renameSync(join(dir, 'ESTOP'), join(owned, `claimed:${token}`));
}

describe('what a dead owner left', () => {
  it('a hold that it had taken out is a problem, and stands again afterwards', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), HOLD);
    takeOut(fleet.folder('lane-a'), deadToken());
    const before = examine(fleet);
    expect(before.code).toBe(1);
    expect(before.found('leftovers')).toMatchObject([
      {
        level: 'problem',
        where: join(fleet.folder('lane-a'), '.ESTOP.txn'),
        what: expect.stringContaining('a hold in it'),
      },
    ]);
    const { code, document, found } = examine(fleet, ['--fix']);
    expect(code).toBe(0);
    expect(found('leftovers')).toEqual([]);
    expect(document.repaired).toMatchObject([
      { where: join(fleet.folder('lane-a'), '.ESTOP.txn') },
    ]);
    expect(bodyOf(fleet.sentinel('lane-a'))).toEqual(HOLD);
    expect(readdirSync(fleet.folder('lane-a'))).toEqual(['ESTOP']);
  });

  it('staging is a warning, and swept', () => {
    const fleet = makeFleet('lane-a');
    const token = deadToken();
    mkdirSync(join(fleet.root, `.ESTOP.stage-${token}`, token), { recursive: true });
    writeFileSync(join(fleet.folder('lane-a'), `.ESTOP.stage-${deadToken()}`), '{"half');
    const before = examine(fleet);
    expect(before.code).toBe(0);
    expect(before.found('leftovers')).toMatchObject([{ level: 'warning' }, { level: 'warning' }]);
    expect(examine(fleet, ['--fix']).document.repaired).toHaveLength(2);
    expect(readdirSync(fleet.root)).not.toContain(`.ESTOP.stage-${token}`);
    expect(readdirSync(fleet.folder('lane-a'))).toEqual([]);
  });

  it('a folder that was set aside is told, and never removed', () => {
    const fleet = makeFleet('lane-a');
    const odd = join(fleet.folder('lane-a'), `.ESTOP.odd-${deadToken()}`);
    mkdirSync(odd);
    writeFileSync(join(odd, 'mine'), 'precious');
    const { code, document, found } = examine(fleet, ['--fix']);
    expect(code).toBe(0);
    expect(document.repaired).toEqual([]);
    expect(found('leftovers')).toMatchObject([{ level: 'warning', where: odd }]);
    expect(existsSync(join(odd, 'mine'))).toBe(true);
  });

  it('of several scopes at once is ended in each', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    for (const lane of [undefined, 'lane-a', 'lane-b']) {
      place(fleet.sentinel(lane), HOLD);
      takeOut(fleet.folder(lane), deadToken());
    }
    expect(examine(fleet, ['--fix']).document.repaired).toHaveLength(3);
    for (const lane of [undefined, 'lane-a', 'lane-b']) {
      expect(bodyOf(fleet.sentinel(lane))).toEqual(HOLD);
    }
  });
});

describe('an owner that may be alive', () => {
  it.each([
    ['on this host', livingToken],
    ['on another host', strangeToken],
  ])('%s is no dead one: a warning', (_where, token) => {
    const fleet = makeFleet('lane-a');
    mkdirSync(join(fleet.folder('lane-a'), '.ESTOP.txn', token()), { recursive: true });
    const { code, found } = examine(fleet);
    expect(code).toBe(0);
    expect(found('leftovers')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('may be alive') },
    ]);
  });

  it('with a hold in its hands that nobody else can see is a problem', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), HOLD);
    takeOut(fleet.folder('lane-a'), strangeToken());
    expect(examine(fleet).code).toBe(1);
  });

  it('is given two seconds to end, and then what it began is ended for it', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), HOLD);
    takeOut(fleet.folder('lane-a'), strangeToken());
    const { code, document } = examine(fleet, ['--fix']);
    expect(code).toBe(0);
    expect(document.repaired).toHaveLength(1);
    expect(bodyOf(fleet.sentinel('lane-a'))).toEqual(HOLD);
  });
});

describe('what has expired', () => {
  it('is removed, and that is recorded', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    const holds = [{ id: 'x', holder: 'sre', reason: 'over', expires_at: PASSED }];
    place(fleet.sentinel('lane-a'), { expires_at: PASSED, holds });
    place(fleet.sentinel('lane-b'), HOLD);
    const { code, document } = examine(fleet, ['--fix']);
    expect(code).toBe(0);
    expect(document.repaired).toMatchObject([{ where: fleet.sentinel('lane-a') }]);
    expect(existsSync(fleet.sentinel('lane-a'))).toBe(false);
    expect(bodyOf(fleet.sentinel('lane-b'))).toEqual(HOLD);
    expect(linesOf(join(fleet.root, '.fleet', 'journal.ndjson'))).toMatchObject([
      {
        event: 'retire',
        profile: 'lane-a',
        holds: [{ id: 'x', reason: 'over' }],
        actor: { via: 'fleet doctor' },
      },
    ]);
  });

  it('in part stays: one hold of two still stands', () => {
    const fleet = makeFleet('lane-a');
    const body = { holds: [{ id: 'x', expires_at: PASSED }, { id: 'y' }] };
    place(fleet.sentinel('lane-a'), body);
    expect(examine(fleet, ['--fix']).document.repaired).toEqual([]);
    expect(bodyOf(fleet.sentinel('lane-a'))).toEqual(body);
  });

  it('is said to be left where it could not be removed', ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { expires_at: PASSED });
    const { code, found } = examine(fleet, ['--fix'], { ordinary: true });
    expect(code).toBe(1);
    expect(found('sentinels')).toMatchObject([{ level: 'problem' }]);
    expect(existsSync(fleet.sentinel('lane-a'))).toBe(true);
  });
});

it('nothing else is touched: what cannot be read, what is no file, what everybody may change', () => {
  const fleet = makeFleet('lane-a', 'lane-b', 'Not A Lane');
  place(fleet.sentinel('lane-a'), 'torn {');
  mkdirSync(fleet.sentinel('lane-b'));
  writeFileSync(join(fleet.root, 'fleet.yaml'), 'version: 2\n');
  const { code, document } = examine(fleet, ['--fix']);
  expect(code).toBe(1);
  expect(document.repaired).toEqual([]);
  expect(document.problems).toBe(3);
  expect(fleet.run(['doctor', '--fix']).stdout).toContain('nothing was repaired\n');
});
