/**
 * The gate's question about one scope: is new work held here?
 * Writes nothing, throws nothing, never waits, does bounded work [7]. Who may pass all the same is
 * `decide/admit.ts`.
 */

import { codeOf, meansAbsent } from '../files/errno.ts';
import { intersectAllow } from '../model/allow.ts';
import { unreadableHold } from '../model/body.ts';
import type { ScopeCheck } from '../model/scope.ts';
import { inspect, type Sentinel } from './inspect.ts';
import { join, mayHold, SENTINEL, standsAside, TENURE } from './names.ts';
import type { DiskPort, Entry } from './port.ts';

/** We look again when a tenure changed under us, and hold when that does not settle. */
const LOOKS = 6;
/**
 * Looks in a row that must find it free beside a tenure. A robbed retirement that was stopped inside its
 * rename can take out, behind one look, what was given back after that look had begun; the next look
 * finds it among the claims.
 */
const SURE = 2;
/** A tenure holds a handful of names. More is somebody's mischief: bounded work, and held. */
const MAX_TENURES = 16;
const MAX_NAMES = 32;

type Engaged = Extract<ScopeCheck, { engaged: true }>;

const FREE: ScopeCheck = Object.freeze({ engaged: false, expired: false });

/**
 * What stands in the scope `dir` for new work. `engaged: false` is answered only where both the
 * tenure and the sentinel are absent, or where every hold that was seen has expired.
 */
export const check = (disk: DiskPort, dir: string): ScopeCheck => checkUntil(disk, dir, SURE);

/**
 * The same for an operation that reports what became of its own hold: beside a tenure it believes the
 * first look, since whoever acts on the report asks a gate.
 */
export const checkOnce = (disk: DiskPort, dir: string): ScopeCheck => checkUntil(disk, dir, 1);

function checkUntil(disk: DiskPort, dir: string, sure: number): ScopeCheck {
  try {
    const { sentinel, tenure } = pathsOf(dir);
    let free = 0;
    for (let look = 0; look < LOOKS; look++) {
      // INVARIANT 3: the tenure is looked at BEFORE the sentinel. A claim can leave the sentinel only
      // while a tenure exists, so "no tenure, then no sentinel" is an answer; the other way round, a
      // claim made in between reads as free.
      if (entryAt(disk, tenure)?.kind !== 'dir') {
        if (entryAt(disk, sentinel) === null) return FREE;
        const seen = inspect(disk, sentinel, disk.now());
        // What has expired may have been displaced before it was read, by what stands.
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
 * The same few scopes are asked about again and again; joining their paths anew costs a tenth of the
 * whole question. A memo of a pure function, and bounded.
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

/** The sentinel, then what the tenure has aside, then the sentinel again. null: it changed under us. */
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
      // Given back, or under another name by now: a settler takes each claim under one of its own.
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
  // What moved may deny whom the others let pass, so for this once nobody passes.
  return standing.some(({ state }) => state === 'active') ? closed(standing) : null;
}

/** INVARIANT 10: held by these, and by something that may let nobody pass. */
function closed([seen, ...aside]: readonly [Sentinel, ...Sentinel[]]): Engaged {
  const held = aside.length === 0 ? engagedBy(seen) : engagedByAll([seen, ...aside]);
  return { ...held, topAllow: null };
}

const isSame = (one: Sentinel, other: Sentinel): boolean =>
  one.ino === other.ino && bytesOf(one).equals(bytesOf(other));

const bytesOf = ({ bytes }: Sentinel): Buffer => Buffer.from(bytes ?? []);

/** INVARIANT 10: what is aside holds as much as what stands, and lets nobody pass whom it denies. */
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
 * A gateway that removes an expired sentinel to be free (upstream) stays held where it may not remove it.
 * Calling such a lane running would be a false statement, so it is held here too.
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

/** null: nothing there. A folder that is a file has nothing in it either. */
function entryAt(disk: DiskPort, path: string): Entry | null {
  try {
    return disk.lstat(path);
  } catch (error) {
    const code = codeOf(error);
    if (meansAbsent(code)) return null;
    throw error;
  }
}

/** null: the folder is gone. A stray file (`.DS_Store`, `.nfs…`) has nothing in it; a link may hide what had. */
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
