/**
 * Ending holds on purpose.
 * Removing what has expired is `retire.test.ts`; what else stands in the sentinel's place is
 * `hostile-disk/`.
 */
import { existsSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import {
  EXPIRED,
  holdsOf,
  KEEPERS,
  LATER,
  PASSED,
  readSentinel,
  STANDING,
  sentinelOf,
  textOf,
  writeSentinel,
} from '../support/bodies.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const OTHER = { ...KEEPERS, id: 'O', holder: 'other', reason: 'o' };
const BOTH = { ...STANDING, holds: [KEEPERS, OTHER] };

describe('lifting one holder’s holds', () => {
  test('removes the sentinel where nobody else holds', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    expect(lift(disk, dir, { holder: 'keeper' })).toMatchObject({
      lifted: true,
      holds: [{ id: 'K' }],
      remaining: [],
    });
    expect(existsSync(sentinelOf(dir))).toBe(false);
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('leaves the holds of others, and names what remains', () => {
    const dir = scopeDir();
    writeSentinel(dir, BOTH);
    expect(lift(disk, dir, { holder: 'keeper' })).toMatchObject({
      lifted: true,
      holds: [{ id: 'K' }],
      remaining: [{ id: 'O' }],
    });
    expect(holdsOf(dir)).toEqual([OTHER]);
    expect(readSentinel(dir)).toMatchObject({ reason: 'o', expires_at: LATER });
    expect(readSentinel(dir).generation).not.toBe('G');
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('takes all of that holder’s, where there are several', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...STANDING, holds: [KEEPERS, OTHER, { ...KEEPERS, id: 'K2' }] });
    expect(lift(disk, dir, { holder: 'keeper' })).toMatchObject({
      lifted: true,
      holds: [{ id: 'K' }, { id: 'K2' }],
      remaining: [{ id: 'O' }],
    });
  });

  test('does nothing to the file where that holder holds nothing', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const before = statSync(sentinelOf(dir));
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({
      lifted: false,
      why: 'not-held',
      remaining: [{ id: 'K' }],
    });
    expect(statSync(sentinelOf(dir))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('drops what has expired when it rewrites, and claims only what it lifted', () => {
    const dir = scopeDir();
    const over = { id: 'X', holder: 'keeper', expires_at: PASSED };
    writeSentinel(dir, { ...STANDING, holds: [over, KEEPERS, OTHER] });
    expect(lift(disk, dir, { holder: 'keeper' })).toMatchObject({ holds: [{ id: 'K' }] });
    expect(holdsOf(dir)).toEqual([OTHER]);
  });

  test('does not lift a hold that has merely expired', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: false, why: 'expired' });
    expect(existsSync(sentinelOf(dir))).toBe(true);
  });

  test('says that nothing is there where nothing is there', () => {
    const nowhere = join(scopeDir(), 'gone');
    expect(lift(disk, scopeDir(), { holder: 'me' })).toMatchObject({
      lifted: false,
      why: 'absent',
    });
    expect(lift(disk, nowhere, { everyone: true })).toMatchObject({ lifted: false });
  });
});

describe('anonymous holds', () => {
  test.each([
    ['an empty file', ''],
    ['a torn body', '{"rea'],
    ['an older tool’s body', '{"reason":"r","expires_at":null}'],
  ])('%s is lifted by the operator, and by nobody else', (_what, text) => {
    const dir = scopeDir();
    writeSentinel(dir, text);
    expect(lift(disk, dir, { holder: 'me' })).toMatchObject({ lifted: false, why: 'not-held' });
    expect(textOf(dir)).toBe(text);
    expect(lift(disk, dir, { holder: 'operator' })).toMatchObject({ lifted: true, remaining: [] });
    expect(check(disk, dir).engaged).toBe(false);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('go with a holder’s own where whoever lifts means them too, and leave the others', () => {
    const dir = scopeDir();
    writeSentinel(dir, '');
    arm(disk, dir, { holder: 'me' });
    arm(disk, dir, { holder: 'operator' });
    const lifted = lift(disk, dir, { holder: 'me', anonymous: true });
    expect(lifted).toMatchObject({ lifted: true, remaining: [{ holder: 'operator' }] });
    expect(lifted.lifted && lifted.holds).toHaveLength(2);
  });

  test('go with the operator’s own, and leave the others', () => {
    const dir = scopeDir();
    writeSentinel(dir, '');
    arm(disk, dir, { holder: 'operator' });
    arm(disk, dir, { holder: 'me' });
    const lifted = lift(disk, dir, { holder: 'operator' });
    expect(lifted).toMatchObject({ lifted: true, remaining: [{ holder: 'me' }] });
    expect(lifted.lifted && lifted.holds).toHaveLength(2);
  });
});

describe('lifting by id', () => {
  test('takes that hold alone, whoever holds it', () => {
    const dir = scopeDir();
    writeSentinel(dir, { ...STANDING, holds: [KEEPERS, { ...KEEPERS, id: 'K2' }] });
    expect(lift(disk, dir, { id: 'K2' })).toMatchObject({ lifted: true, holds: [{ id: 'K2' }] });
    expect(holdsOf(dir)).toEqual([KEEPERS]);
    expect(lift(disk, dir, { id: 'K2' })).toMatchObject({ lifted: false, why: 'not-held' });
  });

  test('takes a hold that no body names by the id it was shown with', () => {
    const dir = scopeDir();
    writeSentinel(dir, '');
    const seen = check(disk, dir);
    const id = seen.engaged ? (seen.holds[0]?.id ?? '') : '';
    expect(id).toBe(`anon-${statSync(sentinelOf(dir)).ino}`);
    expect(lift(disk, dir, { id })).toMatchObject({ lifted: true, holds: [{ id }] });
  });
});

describe('lifting everyone’s', () => {
  test('removes every hold of the scope, and names them', () => {
    const dir = scopeDir();
    writeSentinel(dir, BOTH);
    expect(lift(disk, dir, { everyone: true })).toMatchObject({
      lifted: true,
      holds: [{ id: 'K' }, { id: 'O' }],
      remaining: [],
    });
    expect(existsSync(sentinelOf(dir))).toBe(false);
  });

  test('removes an expired sentinel, and claims no hold for it', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    expect(lift(disk, dir, { everyone: true })).toMatchObject({ lifted: true, holds: [] });
    expect(existsSync(sentinelOf(dir))).toBe(false);
  });
});

describe('a lift fenced on a generation', () => {
  test.each([
    ['one of several', BOTH],
    ['the last', STANDING],
  ])('lifts %s if it is the generation on disk', (_what, body) => {
    const dir = scopeDir();
    writeSentinel(dir, body);
    const selection = { holder: 'keeper' };
    expect(lift(disk, dir, selection, { ifGeneration: 'F' })).toMatchObject({
      lifted: false,
      why: 'superseded',
      remaining: { length: body.holds?.length },
    });
    expect(readSentinel(dir)).toEqual(body);
    expect(lift(disk, dir, selection, { ifGeneration: 'G' })).toMatchObject({ lifted: true });
  });

  test('wins once', () => {
    const dir = scopeDir();
    writeSentinel(dir, BOTH);
    const fence = { ifGeneration: 'G' };
    expect(lift(disk, dir, { id: 'K' }, fence)).toMatchObject({ lifted: true });
    expect(lift(disk, dir, { id: 'O' }, fence)).toMatchObject({ why: 'superseded' });
    expect(holdsOf(dir)).toEqual([OTHER]);
  });

  test('never lifts a body that has no generation', () => {
    const dir = scopeDir();
    writeSentinel(dir, '');
    const answer = lift(disk, dir, { everyone: true }, { ifGeneration: 'G' });
    expect(answer).toMatchObject({ lifted: false, why: 'superseded' });
    expect(check(disk, dir).engaged).toBe(true);
  });
});

describe('a successor that takes the name between the look and the removal', () => {
  /** `act` happens right before the sentinel is renamed away. */
  const interrupted = (dir: string, act: () => void) => {
    let due = true;
    return {
      ...disk,
      rename(from: string, to: string) {
        if (due && from === sentinelOf(dir)) {
          due = false;
          act();
        }
        disk.rename(from, to);
      },
    };
  };

  test('is given back, and its holder’s hold goes on', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const successor = { ...STANDING, generation: 'S', holds: [OTHER] };
    const port = interrupted(dir, () => {
      writeFileSync(join(dir, 'beside'), JSON.stringify(successor));
      renameSync(join(dir, 'beside'), sentinelOf(dir));
    });
    const answer = lift(port, dir, { holder: 'keeper' });
    expect(answer).toMatchObject({ lifted: false, why: 'not-held', remaining: [{ id: 'O' }] });
    expect(readSentinel(dir)).toEqual(successor);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('by writing in place is given back as well', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const port = interrupted(dir, () => writeSentinel(dir, { ...STANDING, holds: [OTHER] }));
    expect(lift(port, dir, { id: 'K' })).toMatchObject({ lifted: false, why: 'not-held' });
    expect(holdsOf(dir)).toEqual([OTHER]);
  });

  test('and is the same holder’s is lifted, since a lift by holder lifts whatever is that holder’s', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const port = interrupted(dir, () =>
      writeSentinel(dir, { ...STANDING, holds: [{ ...KEEPERS, id: 'K2' }] }),
    );
    const answer = lift(port, dir, { holder: 'keeper' });
    expect(answer).toMatchObject({ lifted: true, holds: [{ id: 'K2' }] });
    expect(check(disk, dir).engaged).toBe(false);
  });

  test('by writing in place, while others stay, is merged, and not claimed to be lifted', () => {
    const dir = scopeDir();
    writeSentinel(dir, BOTH);
    const port = {
      ...disk,
      rename(from: string, to: string) {
        // Right under the commit: everything seen is as it was, and the writer says it all again.
        if (to === sentinelOf(dir) && readSentinel(dir).generation === 'G') {
          writeSentinel(dir, { ...BOTH, generation: 'H' });
        }
        disk.rename(from, to);
      },
    };
    const answer = lift(port, dir, { holder: 'keeper' });
    const stands = holdsOf(dir).some(({ id }) => id === 'K');
    expect(answer.lifted).toBe(!stands);
    expect(check(disk, dir)).toMatchObject({ engaged: true });
  });

  test('and removes it is not claimed by the lift', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const port = interrupted(dir, () => unlinkSync(sentinelOf(dir)));
    expect(lift(port, dir, { holder: 'keeper' })).toMatchObject({ lifted: false, why: 'absent' });
    expect(besideSentinel(dir)).toEqual([]);
  });
});
