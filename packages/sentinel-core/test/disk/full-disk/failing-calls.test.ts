/**
 * Disks that fill up, or fail, at any one step of any operation.
 * Really full file systems are `full-file-system.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { inspect } from '../../../src/disk/inspect.ts';
import { lift } from '../../../src/disk/lift.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import type { DiskPort } from '../../../src/disk/port.ts';
import { recover } from '../../../src/disk/recover.ts';
import { retire } from '../../../src/disk/retire.ts';
import {
  type BodyJson,
  EXPIRED,
  KEEPERS,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../../support/bodies.ts';
import {
  anyFailingOnce,
  type Failing,
  failingOnce,
  fullFrom,
  goneFrom,
  ofDeadProcess,
  withoutLinks,
} from '../../support/ports.ts';
import { besideSentinel, scopeInMemory } from '../../support/scope-dir.ts';

const disk = nodeDisk();
/** Whoever meets the failure is gone when the disk works again and somebody recovers. */
const gone = ofDeadProcess(disk);

const MINE = { ...KEEPERS, id: 'M', holder: 'me', reason: 'mine' };
const BODIES: ReadonlyArray<readonly [name: string, body: BodyJson | string | null]> = [
  ['nothing', null],
  ['an expired sentinel', EXPIRED],
  ['another’s hold', STANDING],
  ['one’s own hold', { ...STANDING, holds: [MINE] }],
  ['both', { ...STANDING, holds: [KEEPERS, MINE] }],
  ['an empty file', ''],
];

const WAYS: ReadonlyArray<readonly [name: string, make: (nth: number) => Failing]> = [
  ['is full from some step on', (nth) => fullFrom(gone, nth)],
  ['is full from some step on, and has no hard links', (nth) => fullFrom(withoutLinks(gone), nth)],
  ['fails once with EIO', (nth) => failingOnce(gone, nth, 'EIO')],
  ['fails once with EACCES', (nth) => failingOnce(gone, nth, 'EACCES')],
  ['fails once with EROFS', (nth) => failingOnce(gone, nth, 'EROFS')],
  ['fails once with ESTALE, at reading too', (nth) => anyFailingOnce(gone, nth, 'ESTALE')],
];

interface Run {
  readonly dir: string;
  readonly port: DiskPort;
  /** The holds that stood before, by id. */
  readonly before: readonly string[];
}

/** Runs `judge` with a disk that fails at the first step, the second, … until it does not fail any more. */
function atEveryStep(
  make: (nth: number) => Failing,
  body: BodyJson | string | null,
  judge: (run: Run, step: string) => void,
): void {
  for (let nth = 1; ; nth++) {
    const dir = scopeInMemory();
    if (body !== null) writeSentinel(dir, body);
    const before = idsIn(dir);
    const failing = make(nth);
    judge({ dir, port: failing.disk, before }, `step ${nth}`);
    const held = check(disk, dir).engaged;
    const after = idsIn(dir);
    // Nothing of it stays behind, and putting it right changes nothing that anybody was told.
    recover(disk, dir, { force: true });
    expect(besideSentinel(dir), `step ${nth}: left behind`).toEqual([]);
    expect(check(disk, dir).engaged, `step ${nth}: after recover`).toBe(held);
    for (const id of after) expect(idsIn(dir), `step ${nth}: after recover`).toContain(id);
    if (!failing.failed()) return;
    expect(nth, 'this never ends').toBeLessThan(200);
  }
}

const holdsIn = (dir: string) => inspect(disk, sentinelOf(dir), Date.now()).holds;
const idsIn = (dir: string) => holdsIn(dir).map(({ id }) => id);
const holdersIn = (dir: string) => holdsIn(dir).map(({ holder }) => holder);

const ofKeeper = (ids: readonly string[]) => ids.filter((id) => id === 'K');

describe.each(WAYS)('a disk that %s', (_way, make) => {
  describe.each(BODIES)('over %s', (_what, body) => {
    test('an arm says armed only for what stands, and else whether others hold', () => {
      atEveryStep(make, body, ({ dir, port, before }, step) => {
        const answer = arm(port, dir, { holder: 'me', reason: 'r' });
        const ids = idsIn(dir);
        expect(check(disk, dir).engaged, step).toBe(answer.armed || answer.engaged);
        if (answer.armed) expect(ids, step).toContain(answer.id);
        expect(ofKeeper(ids), step).toEqual(ofKeeper(before));
        // One's own hold is replaced by the new one, or stands; an arm may have committed unseen.
        if (before.includes('M')) {
          const mine = holdersIn(dir).filter((holder) => holder === 'me');
          expect(mine, step).toHaveLength(1);
        }
      });
    });

    test.each([
      ['one holder’s', { holder: 'me' }],
      ['everyone’s', { everyone: true }],
    ] as const)('a lift of %s says lifted only for what is gone', (_whose, selection) => {
      atEveryStep(make, body, ({ dir, port, before }, step) => {
        const answer = lift(port, dir, selection);
        const ids = idsIn(dir);
        if (answer.lifted) {
          for (const { id } of answer.holds) expect(ids, step).not.toContain(id);
          expect(ids, step).toEqual(answer.remaining.map(({ id }) => id));
        } else {
          // It may have committed unseen; nothing is there that was not.
          for (const id of ids) expect(before, step).toContain(id);
        }
        if (!('everyone' in selection)) expect(ofKeeper(ids), step).toEqual(ofKeeper(before));
      });
    });

    test('a retirement takes nothing that stands, and says retired only for what is gone', () => {
      atEveryStep(make, body, ({ dir, port, before }, step) => {
        const answer = retire(port, dir);
        expect(idsIn(dir), step).toEqual(before);
        if (answer.retired)
          expect(check(disk, dir), step).toEqual({ engaged: false, expired: false });
      });
    });
  });
});

describe.each(BODIES)('a disk that goes away at some step over %s', (_what, body) => {
  test.each([
    ['arm', (port: DiskPort, dir: string) => arm(port, dir, { holder: 'me' })],
    ['lift', (port: DiskPort, dir: string) => lift(port, dir, { holder: 'me' })],
    ['lift of everyone’s', (port: DiskPort, dir: string) => lift(port, dir, { everyone: true })],
    ['retire', (port: DiskPort, dir: string) => retire(port, dir)],
    ['recover', (port: DiskPort, dir: string) => recover(port, dir, { force: true })],
    ['check', (port: DiskPort, dir: string) => check(port, dir)],
  ])('is answered for, not thrown, by %s', (name, operate) => {
    const ways = (nth: number) => goneFrom(gone, nth, 'EIO');
    atEveryStep(ways, body, ({ dir, port, before }, step) => {
      let answer: object | undefined;
      expect(() => {
        answer = operate(port, dir);
      }, step).not.toThrow();
      if (name !== 'lift of everyone’s')
        expect(ofKeeper(idsIn(dir)), step).toEqual(ofKeeper(before));
      if (name === 'arm' || name === 'lift') {
        // What it could not see any more it did not claim.
        const { armed, lifted, id } = answer as { armed?: true; lifted?: true; id?: string };
        if (armed) expect(idsIn(dir), step).toContain(id);
        if (lifted) expect(idsIn(dir), step).not.toContain('M');
      }
    });
  });
});
