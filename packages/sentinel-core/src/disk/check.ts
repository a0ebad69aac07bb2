/**
 * Answers the gate's question about one scope: is new work held here?
 * It writes nothing, throws nothing, never waits and does bounded work [7]. `decide/admit.ts`
 * decides who passes although the scope is held.
 */

import { codeOf, meansAbsent } from '../files/errno.ts';
import { intersectAllow } from '../model/allow.ts';
import { unreadableHold } from '../model/body.ts';
import type { ScopeCheck } from '../model/scope.ts';
import { inspect, type Sentinel } from './inspect.ts';
import { join, mayHold, SENTINEL, standsAside, TENURE } from './names.ts';
import type { DiskPort, Entry } from './port.ts';

/**
 * Number of looks while tenures change in between. If they never settle, the scope counts as held.
 */
const LOOKS = 6;
/**
 * Looks in a row that must find the scope free beside a tenure. A robbed retirement that was stopped
 * inside its rename can take out, behind one look, what was given back after that look began. The next
 * look finds it among the claims.
 */
const SURE = 2;
/**
 * A tenure contains a handful of names. More were put there by somebody who means harm. The limit
 * bounds the work, and the scope counts as held.
 */
const MAX_TENURES = 16;
const MAX_NAMES = 32;

type Engaged = Extract<ScopeCheck, { engaged: true }>;

const FREE: ScopeCheck = Object.freeze({ engaged: false, expired: false });

/**
 * Checks whether the scope `dir` holds new work, and by which holds. Answers `engaged: false` only
 * if both the tenure and the sentinel are absent, or if every hold that was seen has expired.
 * Anything that cannot be read counts as held [2]. An expired sentinel that this process may not
 * remove counts as held too (decision: `2026-11-29-expired-but-not-removable.md`). Never throws and
 * never blocks; two `lstat` calls when nothing is armed [7].
 */
export const check = (disk: DiskPort, dir: string): ScopeCheck => checkUntil(disk, dir, SURE);

/**
 * As `check`, for an operation that reports what became of its own hold. Beside a tenure it believes the
 * first look, because whoever acts on the report asks a gate.
 */
export const checkOnce = (disk: DiskPort, dir: string): ScopeCheck => checkUntil(disk, dir, 1);

function checkUntil(disk: DiskPort, dir: string, sure: number): ScopeCheck {
  try {
    const { sentinel, tenure } = pathsOf(dir);
    let free = 0;
    for (let look = 0; look < LOOKS; look++) {
      // INVARIANT 3: look at the tenure BEFORE the sentinel. A claim can leave the sentinel only
      // while a tenure exists, so "no tenure, then no sentinel" proves that nothing holds. In the
      // other order, a claim made between the two looks would read as free.
      if (entryAt(disk, tenure)?.kind !== 'dir') {
        if (entryAt(disk, sentinel) === null) return FREE;
        const seen = inspect(disk, sentinel, disk.now());
        // The expired file may have been replaced by a hold in force before it was read.
        if (seen.state === 'expired' && entryAt(disk, sentinel)?.ino !== seen.ino) continue;
        return answer(disk, dir, seen);
      }
      const settled = checkDuringTenure(disk, dir, sentinel, tenure);
      if (settled?.engaged) return settled;
      free = settled === null ? 0 : free + 1;
      if (settled !== null && free === sure) return settled;
    }
    return held('unsettled');
  } catch (error) {
    return held(codeOf(error));
  }
}

/**
 * Remembers the paths of a scope. The same few scopes are checked again and again, and joining
 * their paths costs a tenth of a check. The memo is bounded.
 */
function pathsOf(dir: string): { readonly sentinel: string; readonly tenure: string } {
  const known = paths.get(dir);
  if (known !== undefined) return known;
  if (paths.size >= MAX_PATHS) paths.clear();
  const made = { sentinel: join(dir, SENTINEL), tenure: join(dir, TENURE) };
  paths.set(dir, made);
  return made;
}

const MAX_PATHS = 4_096;
const paths = new Map<string, { readonly sentinel: string; readonly tenure: string }>();

/**
 * Looks at the sentinel, then at the files inside the tenure, then at the sentinel again. null:
 * something changed in between.
 */
function checkDuringTenure(
  disk: DiskPort,
  dir: string,
  sentinel: string,
  tenure: string,
): ScopeCheck | null {
  const now = disk.now();
  const before = inspect(disk, sentinel, now);
  const aside: Sentinel[] = [];
  let hasMoved = false;
  const tokens = namesIn(disk, tenure);
  if (tokens === null) return null;
  if (tokens.length > MAX_TENURES) return held('unsettled');
  for (const token of tokens) {
    const owned = join(tenure, token);
    const names = namesIn(disk, owned);
    if (names === null) return null;
    if (names.length > MAX_NAMES) return held('unsettled');
    for (const name of names) {
      if (!mayHold(name)) continue;
      const found = inspect(disk, join(owned, name), now);
      // It was given back or renamed: a settler renames each claim to a name of its own.
      if (found.state === 'absent') hasMoved = true;
      if (standsAside(name, found, names)) aside.push(found);
    }
    if (disk.lstat(owned) === null) return null;
  }
  const after = inspect(disk, sentinel, now);
  const standing = [after.state === 'active' ? after : before, ...aside] as const;
  if (!hasMoved && isSame(before, after)) {
    if (aside.length === 0) return answer(disk, dir, after);
    return overdue(disk, sentinel, after) ? closed(standing) : engagedByAll(standing);
  }
  // The file that moved may deny a principal whom the others admit. So this one answer admits
  // nobody.
  return standing.some(({ state }) => state === 'active') ? closed(standing) : null;
}

/** INVARIANT 10: these files hold, and another one that moved may admit nobody. */
function closed([seen, ...aside]: readonly [Sentinel, ...Sentinel[]]): Engaged {
  const held = aside.length === 0 ? engagedBy(seen) : engagedByAll([seen, ...aside]);
  return { ...held, topAllow: null };
}

const isSame = (one: Sentinel, other: Sentinel): boolean =>
  one.ino === other.ino && bytesOf(one).equals(bytesOf(other));

const bytesOf = ({ bytes }: Sentinel): Buffer => Buffer.from(bytes ?? []);

/**
 * INVARIANT 10: a file inside the tenure holds as much as `ESTOP` does, and a principal whom it
 * denies does not pass.
 */
function engagedByAll(seen: readonly Sentinel[]): Engaged {
  const standing = seen.filter(({ state }) => state === 'active').map(engagedBy);
  const unreadable = standing.find((check) => check.unreadable !== undefined)?.unreadable;
  const known = {
    engaged: true as const,
    holds: standing.flatMap(({ holds }) => holds),
    topAllow: intersectAllow(standing.map(({ topAllow }) => topAllow)),
    generation: standing[0]?.generation ?? null,
    aside: true as const,
  };
  return unreadable === undefined ? known : { ...known, unreadable };
}

function answer(disk: DiskPort, dir: string, seen: Sentinel): ScopeCheck {
  if (seen.state === 'active') return engagedBy(seen);
  if (seen.state === 'absent') return FREE;
  if (!overdue(disk, join(dir, SENTINEL), seen)) return { engaged: false, expired: true };
  const { expired, topAllow, generation } = seen;
  return { engaged: true, holds: expired, topAllow, generation, overdue: true };
}

/**
 * An upstream gateway must remove an expired sentinel before it runs, so it stays held where it may
 * not remove it. Reporting such a profile as running would be a false statement, so it is held here
 * too.
 */
const overdue = (disk: DiskPort, sentinel: string, { state }: Sentinel): boolean =>
  state === 'expired' && !disk.mayRemove(sentinel);

function engagedBy(seen: Sentinel): Engaged {
  const { holds, topAllow, generation, unreadable } = seen;
  const known = { engaged: true as const, holds, topAllow, generation };
  return unreadable === undefined ? known : { ...known, unreadable };
}

function held(why: string): ScopeCheck {
  const holds = [unreadableHold('unknown', why)];
  return { engaged: true, holds, topAllow: null, generation: null, unreadable: why };
}

/** null: no such entry. The same goes for a path whose folder turns out to be a file. */
function entryAt(disk: DiskPort, path: string): Entry | null {
  try {
    return disk.lstat(path);
  } catch (error) {
    const code = codeOf(error);
    if (meansAbsent(code)) return null;
    throw error;
  }
}

/**
 * null: the folder is gone. A stray file (`.DS_Store`, `.nfs…`) in its place counts as empty. A
 * link does not: it may hide a folder with claims in it.
 */
function namesIn(disk: DiskPort, path: string): string[] | null {
  try {
    return disk.readdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    if (code === 'ENOTDIR' && disk.lstat(path)?.kind === 'file') return [];
    throw error;
  }
}
