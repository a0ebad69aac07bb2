/**
 * Whoever settles a dead owner's tenure may die at any call, or meet a late call of another dead settler,
 * or a check, and no hold that lies in it is lost, or free for a moment.
 */
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { admit } from '../../src/decide/admit.ts';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { inspect, tagOf } from '../../src/disk/inspect.ts';
import { SENTINEL, TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { recover } from '../../src/disk/recover.ts';
import { EXPIRED, STANDING, writeSentinel } from '../support/bodies.ts';
import { besideSentinel, scopeInMemory } from '../support/scope-dir.ts';

const disk = nodeDisk();
/** Of a process that is gone. */
const OWNER = 'aaaaaaaa.4194305.dead.0';

/** Takes a tenure over at sight, and looks for no foreign retirement afterwards. */
const AT_ONCE = { tries: 1, waitMs: 0, quietLooks: 0 };

/** No errno: nothing in the protocol catches it, as nothing outlives a kill. */
class Killed extends Error {}

/** A port of which each call is announced before it happens. */
const announced = (
  before: (call: string, args: readonly unknown[]) => void,
  port: DiskPort = disk,
): DiskPort =>
  new Proxy(port, {
    get(target, call) {
      const value = Reflect.get(target, call);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        before(String(call), args);
        return value.apply(target, args);
      };
    },
  });

/**
 * A lifter moved away, late, what somebody foreign had put there; the owner of the tenure had pinned
 * that very file for a commit that never came; and meanwhile a pause was placed by blunt means.
 */
function foreignAside() {
  const dir = scopeInMemory();
  const tenure = join(dir, TENURE, OWNER);
  mkdirSync(tenure, { recursive: true });
  const claim = join(tenure, `lift:other:${'1'.repeat(7)}~${'0'.repeat(32)}`);
  writeFileSync(claim, JSON.stringify({ generation: 'F', reason: 'foreign' }));
  linkSync(claim, join(tenure, `prev:${OWNER}:0:${tagOf(inspect(disk, claim, Date.now()))}`));
  writeFileSync(join(tenure, `new:${OWNER}:0`), JSON.stringify(STANDING));
  writeSentinel(dir, STANDING);
  return { dir };
}

function reasonsIn(dir: string) {
  const found = check(disk, dir);
  return found.engaged ? found.holds.map(({ reason }) => reason) : [];
}

test('what was aside beside a pin of a commit that never came survives a death at any call', () => {
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const { dir } = foreignAside();
    let calls = 0;
    const dies = announced(() => {
      if (++calls === nth) throw new Killed();
    });
    try {
      recover(dies, dir, { force: true });
      isOver = true;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    recover(disk, dir, { force: true });
    expect({ nth, reasons: reasonsIn(dir).sort() }).toEqual({ nth, reasons: ['foreign', 'kept'] });
    expect(besideSentinel(dir)).toEqual([]);
    if (isOver) expect(nth).toBeGreaterThan(20);
  }
});

test('a claim to which another settler’s late call gives another name is found all the same', () => {
  const { dir } = foreignAside();
  let isLate = true;
  const meets = announced((call, [from]) => {
    if (!isLate || call !== 'rename' || !String(from).includes('/lift:other:')) return;
    isLate = false;
    const [token = ''] = readdirSync(join(dir, TENURE));
    const folder = join(dir, TENURE, token);
    const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('lift:'));
    renameSync(join(folder, name), join(folder, name.replace('other', 'late')));
  });
  recover(meets, dir, { force: true });
  expect(isLate).toBe(false);
  expect(reasonsIn(dir).sort()).toEqual(['foreign', 'kept']);
  expect(besideSentinel(dir)).toEqual([]);
});

test('a settler that gives a claim another name at any moment of a check leaves it held', () => {
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const { dir } = foreignAside();
    unlinkSync(join(dir, SENTINEL));
    const tenure = join(dir, TENURE, OWNER);
    const [claim = ''] = readdirSync(tenure).filter((name) => name.startsWith('lift:'));
    let calls = 0;
    const renames = announced(() => {
      if (++calls !== nth) return;
      renameSync(join(tenure, claim), join(tenure, claim.replace('other', 'settler')));
    });
    const { engaged } = check(renames, dir);
    isOver = calls < nth;
    expect({ nth, engaged }).toEqual({ nth, engaged: true });
    if (isOver) expect(nth).toBeGreaterThan(8);
  }
});

const scopeOf = (dir: string) => ({ kind: 'root', dir }) as const;

test('a hold that is merged into what stands at any moment of a check denies whom it denied before', () => {
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const dir = scopeInMemory();
    const tenure = join(dir, TENURE, OWNER);
    mkdirSync(tenure, { recursive: true });
    const standing = { id: 'K', holder: 'k', allow: { user_ids: ['u'] } };
    const aside = { id: 'H', holder: 'h', allow: { user_ids: ['v'] } };
    writeSentinel(dir, { allow: standing.allow, holds: [standing] });
    const claim = join(tenure, `claimed:${OWNER}`);
    writeFileSync(claim, JSON.stringify({ holds: [aside] }));
    writeFileSync(join(dir, 'merged'), JSON.stringify({ holds: [standing, aside] }));
    let calls = 0;
    const merges = announced(() => {
      if (++calls !== nth) return;
      renameSync(join(dir, 'merged'), join(dir, SENTINEL));
      unlinkSync(claim);
    });
    const found = check(merges, dir);
    isOver = calls < nth;
    const { admitted } = admit([{ scope: scopeOf(dir), check: found }], {
      principal: 'u',
      profile: 'lane-a',
    });
    expect({ nth, engaged: found.engaged, admitted }).toEqual({
      nth,
      engaged: true,
      admitted: false,
    });
    if (isOver) expect(nth).toBeGreaterThan(8);
  }
});

test('a file that was displaced under a check, and written into by somebody foreign, frees nobody', () => {
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const dir = scopeInMemory();
    writeSentinel(dir, STANDING);
    const foreign = openSync(join(dir, SENTINEL), 'r+');
    let calls = 0;
    const displaced = announced(() => {
      if (++calls !== nth) return;
      arm(disk, dir, { holder: 'k' });
      ftruncateSync(foreign);
      writeSync(foreign, JSON.stringify(EXPIRED), 0);
    });
    const { engaged } = check(displaced, dir);
    closeSync(foreign);
    isOver = calls < nth;
    expect({ nth, engaged }).toEqual({ nth, engaged: true });
    if (isOver) expect(nth).toBeGreaterThan(4);
  }
});

test('a robbed retirement that lands late behind a check, after the hold was given back, frees nobody', () => {
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const dir = scopeInMemory();
    const tenure = join(dir, TENURE, OWNER);
    mkdirSync(tenure, { recursive: true });
    const claim = join(tenure, `claimed:${OWNER}`);
    writeFileSync(claim, JSON.stringify(STANDING));
    let calls = 0;
    const late = announced(() => {
      calls++;
      if (calls === nth) renameSync(claim, join(dir, SENTINEL));
      // Its maker was robbed inside this very call, which found the folder before that.
      if (calls === nth + 2) renameSync(join(dir, SENTINEL), join(tenure, 'claimed:late'));
    });
    const { engaged } = check(late, dir);
    isOver = calls < nth;
    expect({ nth, engaged }).toEqual({ nth, engaged: true });
    if (isOver) expect(nth).toBeGreaterThan(4);
  }
});

test('a settler that is robbed while it undoes half a copy removes nothing that was armed since', () => {
  const refused = (code: string) => Object.assign(new Error(code), { code });
  const withoutLinks: DiskPort = {
    ...disk,
    link: () => {
      throw refused('EPERM');
    },
    stale: () => true,
    pause: () => {},
  };
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const dir = scopeInMemory();
    const tenure = join(dir, TENURE, OWNER);
    mkdirSync(tenure, { recursive: true });
    writeFileSync(join(tenure, `claimed:${OWNER}`), JSON.stringify(STANDING));
    let calls = 0;
    let copy: 'none' | 'begun' | 'failed' = 'none';
    const arms = (call: string, args: readonly unknown[]) => {
      if (call === 'open' && args[0] === join(dir, SENTINEL) && args[1] === 'wx') {
        if (copy === 'none') copy = 'begun';
      }
      if (++calls === nth)
        expect(arm(withoutLinks, dir, { holder: 'k' }, AT_ONCE).armed).toBe(true);
      if (call === 'write' && copy === 'begun') {
        copy = 'failed';
        throw refused('ENOSPC');
      }
    };
    recover(announced(arms, withoutLinks), dir, { force: true });
    isOver = calls < nth;
    recover(withoutLinks, dir, { force: true });
    const found = check(disk, dir);
    const holders = found.engaged ? found.holds.map(({ holder }) => holder) : [];
    expect({ nth, holders }).toEqual({
      nth,
      holders: expect.arrayContaining(
        isOver ? [STANDING.holds[0]?.holder] : ['k', STANDING.holds[0]?.holder],
      ),
    });
    if (isOver) expect(nth).toBeGreaterThan(12);
  }
});
