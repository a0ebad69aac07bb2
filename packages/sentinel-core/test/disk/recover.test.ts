/**
 * Putting right what dead owners left.
 * What a kill leaves at every single step is shown by the explorer.
 */
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { inspect } from '../../src/disk/inspect.ts';
import { claimName, liftName, newName, pinName, STAGING, TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { recover } from '../../src/disk/recover.ts';
import {
  EXPIRED,
  holdsOf,
  KEEPERS,
  readSentinel,
  STANDING,
  sentinelOf,
  writeSentinel,
} from '../support/bodies.ts';
import { errno, ofDeadProcess, withoutLinks } from '../support/ports.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const dead = ofDeadProcess(disk);
const SECOND = { ...STANDING, generation: 'S', holds: [{ id: 'S', holder: 'second' }] };

/** The tenure that a process left when it died. */
function deadTenure(dir: string): { owned: string; token: string } {
  const token = dead.token();
  const owned = join(dir, TENURE, token);
  mkdirSync(owned, { recursive: true });
  return { owned, token };
}

const inspectIn = (dir: string) => inspect(disk, sentinelOf(dir), Date.now());

describe.each([
  ['where hard links work', disk],
  ['where hard links are refused', withoutLinks(disk)],
  ['where there are no hard links', withoutLinks(disk, 'EOPNOTSUPP')],
])('%s', (_where, port) => {
  test('a live hold that a dead retirement had taken out is given back', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const { owned, token } = deadTenure(dir);
    renameSync(sentinelOf(dir), join(owned, claimName(token)));
    expect(recover(port, dir)).toEqual({ settled: true, swept: [] });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a live hold given back beside a newer sentinel stands together with it', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const { owned, token } = deadTenure(dir);
    renameSync(sentinelOf(dir), join(owned, claimName(token)));
    writeSentinel(dir, SECOND);
    expect(recover(port, dir)).toMatchObject({ settled: true });
    expect(holdsOf(dir)).toEqual([{ id: 'S', holder: 'second' }, KEEPERS]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['bytes that are no text', (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0]))],
    ['more than fits a body', (path: string) => writeFileSync(path, 'x'.repeat(70_000))],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a full folder', (path: string) => mkdirSync(join(path, 'in'), { recursive: true })],
  ])('%s that a dead retirement had taken out is given back, and holds', (_what, place) => {
    const dir = scopeDir();
    const { owned, token } = deadTenure(dir);
    place(join(owned, claimName(token)));
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true });
    expect(recover(port, dir)).toMatchObject({ settled: true });
    const seen = check(disk, dir);
    expect(seen).toMatchObject({ engaged: true, holds: [{ holder: null, expiresAtMs: null }] });
    expect(seen).not.toHaveProperty('aside');
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('an expired sentinel that a dead retirement had taken out goes for good', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    const { owned, token } = deadTenure(dir);
    renameSync(sentinelOf(dir), join(owned, claimName(token)));
    expect(recover(port, dir)).toMatchObject({ settled: true });
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a dead lift is rolled forward if it had taken what it saw, else given back', () => {
    const lifted = scopeDir();
    writeSentinel(lifted, STANDING);
    const first = deadTenure(lifted);
    renameSync(sentinelOf(lifted), join(first.owned, liftName(first.token, inspectIn(lifted))));
    expect(recover(port, lifted)).toMatchObject({ settled: true });
    expect(check(disk, lifted)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(lifted)).toEqual([]);

    const kept = scopeDir();
    writeSentinel(kept, STANDING);
    const second = deadTenure(kept);
    const claim = join(second.owned, liftName(second.token, inspectIn(kept)));
    writeSentinel(kept, SECOND);
    renameSync(sentinelOf(kept), claim);
    expect(recover(port, kept)).toMatchObject({ settled: true });
    expect(readSentinel(kept)).toEqual(SECOND);
    expect(besideSentinel(kept)).toEqual([]);
  });
});

describe('a dead rewrite', () => {
  test('that had not committed leaves the sentinel as it is', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const { owned, token } = deadTenure(dir);
    writeFileSync(join(owned, newName(token, 0)), JSON.stringify(SECOND));
    linkSync(sentinelOf(dir), join(owned, pinName(token, 0, inspectIn(dir))));
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('that had committed leaves its body, and what was written under it is added', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    const { owned, token } = deadTenure(dir);
    const pin = join(owned, pinName(token, 0, inspectIn(dir)));
    renameSync(sentinelOf(dir), pin);
    writeFileSync(pin, JSON.stringify(STANDING));
    writeSentinel(dir, SECOND);
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(holdsOf(dir)).toEqual([{ id: 'S', holder: 'second' }, KEEPERS]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('whose body was removed since takes nothing back from its pin', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const { owned, token } = deadTenure(dir);
    const pin = join(owned, pinName(token, 0, inspectIn(dir)));
    renameSync(sentinelOf(dir), pin);
    writeFileSync(pin, JSON.stringify(SECOND));
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
  });
});

describe('a dead lift that had taken out more than it saw, where a robbed rewrite’s pin landed late', () => {
  /** The pin is of the very file that was taken out, and its draft was removed before it landed. */
  function takenOut(written: Parameters<typeof writeSentinel>[1]): string {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const seen = inspectIn(dir);
    const { owned, token } = deadTenure(dir);
    linkSync(sentinelOf(dir), join(owned, pinName(dead.token(), 0, seen)));
    writeSentinel(dir, written); // in place
    renameSync(sentinelOf(dir), join(owned, liftName(token, seen)));
    return dir;
  }

  test('what was written in place meanwhile is given back', () => {
    const dir = takenOut(SECOND);
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true });
    expect(recover(disk, dir)).toEqual({ settled: true, swept: [] });
    expect(holdsOf(dir)).toEqual([{ id: 'S', holder: 'second' }]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('what was written in place stands together with what came after it', () => {
    const dir = takenOut(SECOND);
    writeSentinel(dir, STANDING);
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(holdsOf(dir)).toEqual([KEEPERS, { id: 'S', holder: 'second' }]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('what a rewrite had pinned and not committed is given back, be its draft gone', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const seen = inspectIn(dir);
    writeSentinel(dir, SECOND); // in place
    const { owned, token } = deadTenure(dir);
    linkSync(sentinelOf(dir), join(owned, pinName(dead.token(), 0, inspectIn(dir))));
    renameSync(sentinelOf(dir), join(owned, liftName(token, seen)));
    expect(check(disk, dir)).toMatchObject({ engaged: true, aside: true });
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(holdsOf(dir)).toEqual([{ id: 'S', holder: 'second' }]);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('what it saw is lifted', () => {
    const dir = takenOut(STANDING);
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('a tenure whose owner is alive', () => {
  test('is left alone, and the answer says that somebody is at work', () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE, disk.token()), { recursive: true });
    expect(recover(disk, dir)).toEqual({ settled: false, swept: [], why: 'busy' });
    expect(besideSentinel(dir)).toEqual([TENURE]);
  });

  test('is taken over when forced', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const token = disk.token();
    mkdirSync(join(dir, TENURE, token), { recursive: true });
    renameSync(sentinelOf(dir), join(dir, TENURE, token, claimName(token)));
    expect(recover(disk, dir, { force: true })).toMatchObject({ settled: true });
    expect(readSentinel(dir)).toEqual(STANDING);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('of another machine is taken over once it has been seen for long enough, by our own clock', () => {
    const dir = scopeDir();
    const patient = nodeDisk({ patienceMs: 30 });
    mkdirSync(join(dir, TENURE, 'another.1.b.0'), { recursive: true });
    expect(recover(patient, dir)).toMatchObject({ settled: false, why: 'busy' });
    while (!patient.stale('', 'another.1.b.0', 0)) patient.pause(4);
    expect(recover(patient, dir)).toMatchObject({ settled: true });
    expect(besideSentinel(dir)).toEqual([]);
  });
});

describe('what is swept', () => {
  test('staging of dead owners goes, with what they had begun in it', () => {
    const dir = scopeDir();
    const [folder, file] = [STAGING + dead.token(), STAGING + dead.token()];
    mkdirSync(join(dir, folder, folder.slice(STAGING.length)), { recursive: true });
    writeFileSync(join(dir, file), '{"half');
    const { settled, swept } = recover(disk, dir);
    expect(settled).toBe(true);
    expect([...swept].sort()).toEqual([folder, file].sort());
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('staging of a living owner stays', () => {
    const dir = scopeDir();
    const name = STAGING + disk.token();
    mkdirSync(join(dir, name));
    expect(recover(disk, dir)).toEqual({ settled: true, swept: [] });
    expect(besideSentinel(dir)).toEqual([name]);
  });

  test('a folder with a stranger’s files in it is not emptied', () => {
    const dir = scopeDir();
    const name = STAGING + dead.token();
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'mine'), 'precious');
    expect(recover(disk, dir)).toEqual({ settled: true, swept: [] });
    expect(besideSentinel(dir)).toEqual([name]);
  });

  test('other names are nobody’s business', () => {
    const dir = scopeDir();
    for (const name of ['.ESTOP', 'ESTOP.bak', '.ESTOP.txn2', '.ESTOP.odd-x']) {
      writeFileSync(join(dir, name), '');
    }
    const before = besideSentinel(dir);
    recover(disk, dir, { force: true });
    expect(besideSentinel(dir)).toEqual(before);
  });
});

describe('junk', () => {
  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['an empty folder', (path: string) => mkdirSync(path)],
    ['a link to a folder', (path: string) => symlinkSync('/', path)],
    ['a dangling link', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ])("%s in the tenure's place is cleared away", (_what, place) => {
    const dir = scopeDir();
    place(join(dir, TENURE));
    expect(recover(disk, dir)).toMatchObject({ settled: true });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('a file in a tenure, where an owner should be, does not hold the scope for ever', () => {
    const dir = scopeDir();
    mkdirSync(join(dir, TENURE));
    writeFileSync(join(dir, TENURE, 'junk'), '');
    expect(recover(disk, dir, { force: true })).toMatchObject({ settled: true });
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('several tenures side by side are all settled', () => {
    const dir = scopeDir();
    const tenures = [0, 1, 2].map(() => deadTenure(dir));
    for (const { owned, token } of tenures) {
      writeFileSync(join(owned, claimName(token)), JSON.stringify({ holds: [{ id: token }] }));
    }
    expect(recover(disk, dir, { force: true })).toMatchObject({ settled: true });
    expect(
      holdsOf(dir)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(tenures.map((t) => t.token).sort());
    expect(besideSentinel(dir)).toEqual([]);
  });
});

test('where nothing was left, nothing is done', () => {
  const dir = scopeDir();
  writeSentinel(dir, STANDING);
  const { ino } = statSync(sentinelOf(dir));
  expect(recover(disk, dir, { force: true })).toEqual({ settled: true, swept: [] });
  expect(statSync(sentinelOf(dir)).ino).toBe(ino);
});

test('a scope that is gone or cannot be looked at is answered for, not thrown', () => {
  const dir = scopeDir();
  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  expect(recover(disk, join(dir, 'gone'))).toMatchObject({ swept: [] });
  const blind = {
    ...disk,
    lstat() {
      throw errno('EACCES');
    },
  };
  expect(recover(blind, dir)).toEqual({ settled: false, swept: [], why: 'EACCES' });
});
