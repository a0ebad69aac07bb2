/**
 * Changes the body of a sentinel under a tenure. This is the only place that does. It looks, writes
 * the new body beside, pins the old file, compares, renames over, and looks once more at the
 * displaced file.
 * `ESTOP` is never missing in between and never has fewer holds than it should. `arm.ts`, `lift.ts`
 * (one hold of several) and every merge use it and decide which holds to keep.
 */

import { couldNotLook, failureOf, orNull, refusesLinks } from '../files/errno.ts';
import { textOf, writeBody } from '../model/body.ts';
import { clockAt, hasExpired } from '../model/deadline.ts';
import type { Hold } from '../model/hold.ts';
import { inspect, type Sentinel, tagOf } from './inspect.ts';
import { fitBody, MAX_HOLDERS } from './limits.ts';
import { claimName, isClaim, join, newName, pinName, SENTINEL, seenByPin } from './names.ts';
import type { DiskPort } from './port.ts';
import { discard, type Tenure, TenureLost } from './tenure-entries.ts';

/** Bounds the merges: a writer that keeps writing in place could make us merge for ever. */
const ROUNDS = 6;

/** What `rewrite` answers. */
export type Rewrite<Stop> =
  /** `holds`: the holds in force in the new body. */
  | { readonly kind: 'committed'; readonly holds: readonly Hold[]; readonly generation: string }
  /** `next` decided to write nothing. */
  | { readonly kind: 'stopped'; readonly stop: Stop }
  /**
   * An errno code, `contested` (others kept changing the sentinel), `too-many-holders` or
   * `too-large`.
   */
  | { readonly kind: 'failed'; readonly code: string };

/** Decides which holds to keep from what is on disk now. It may be called several times. */
export type Next<Stop> = (
  seen: Sentinel,
) => { readonly keep: readonly Hold[] } | { readonly stop: Stop };

interface Pin {
  readonly path: string;
  /** The tag of the pinned file when it was last looked at. */
  known: string;
  /** Holds already merged from this file. They are replaced if its writer writes again. */
  merged: readonly Hold[];
  /** The file could not be read, so the pin stays in the tenure and still holds. */
  isUnseen: boolean;
}

/**
 * Commits the holds that `next` keeps. `serial` numbers the names of this call inside the tenure;
 * two calls under one tenure must not share a serial. Throws `TenureLost` if the tenure was taken
 * over before anything was committed.
 */
export function rewrite<Stop>(
  disk: DiskPort,
  tenure: Tenure,
  next: Next<Stop>,
  { serial = 0, first }: { serial?: number; first?: Sentinel } = {},
): Rewrite<Stop> {
  const sentinel = join(tenure.scope, SENTINEL);
  const pins: Pin[] = [];
  let slipped: { readonly pin: Pin; readonly found: Sentinel }[] = [];
  let committed: Extract<Rewrite<Stop>, { kind: 'committed' }> | null = null;
  let look = first;
  let takenOut: readonly Hold[] = [];

  const finish = <R extends Rewrite<Stop>>(result: R): R => {
    dropLateClaims(disk, tenure, pins);
    for (const pin of pins) if (!pin.isUnseen) failureOf(() => disk.unlink(pin.path));
    return result;
  };

  for (let round = serial; round < serial + ROUNDS; round++) {
    const now = disk.now();
    const found = look ?? inspect(disk, sentinel, now);
    const seen = takenOut.length === 0 ? found : { ...found, kept: union(found.kept, takenOut) };
    look = undefined;
    // An `rm` came after our commit. It lifts everything, also what was written in place before it.
    if (committed !== null && seen.state === 'absent') return finish(committed);
    // INVARIANT 1: writing over a sentinel that cannot be read would end holds that nobody has
    // seen.
    if (couldNotLook(seen.unreadable)) {
      return committed ?? { kind: 'failed', code: seen.unreadable };
    }

    let keep: readonly Hold[];
    if (committed === null) {
      const wanted = next(seen);
      if ('stop' in wanted) return { kind: 'stopped', stop: wanted.stop };
      keep = wanted.keep;
    } else {
      keep = slipped.reduce(mergeSlipped, seen.kept);
    }

    const generation = disk.token();
    const write = (holds: readonly Hold[], options: { composedReason: boolean }) =>
      writeBody(generation, holds, seen.extra, options);
    // If others wrote more holders than allowed, their number may shrink but never grow.
    const max = Math.max(MAX_HOLDERS, seen.holds.length);
    const clock = clockAt(now, disk);
    const isOver = (hold: Hold) => hasExpired(hold, clock);
    const body = fitBody(keep, write, max, isOver);
    if ('code' in body) return committed ?? { kind: 'failed', code: body.code };
    const standing = body.holds.filter((hold) => !isOver(hold));
    const draft = join(tenure.dir, newName(tenure.token, round));
    const unwritten = writeDraft(disk, draft, body.text);
    if (unwritten !== '') {
      // After a commit the pin stays in the tenure and still holds.
      if (committed !== null) return committed;
      if (unwritten === 'ENOENT') throw new TenureLost();
      return { kind: 'failed', code: unwritten };
    }

    if (seen.state === 'absent') {
      let code = failureOf(() => disk.link(draft, sentinel)); // COMMIT (create), never over anything
      if (refusesLinks(code)) code = createThenReplace(disk, draft, sentinel);
      if (code === 'ENOENT') throw new TenureLost();
      failureOf(() => disk.unlink(draft));
      if (code === 'EEXIST') continue;
      if (code !== '') return { kind: 'failed', code };
      disk.fsyncDir(tenure.scope);
      return { kind: 'committed', holds: standing, generation };
    }

    const pin: Pin = {
      path: join(tenure.dir, pinName(tenure.token, round, seen)),
      known: tagOf(seen),
      merged: [],
      isUnseen: false,
    };
    // Remove the pin before the draft: a pin without its draft reads as displaced by a commit.
    const undo = (pinned: boolean) => {
      if (pinned) failureOf(() => disk.unlink(pin.path));
      failureOf(() => disk.unlink(draft));
    };
    const unpinned = failureOf(() => disk.link(sentinel, pin.path));
    if (unpinned === 'ENOENT') {
      undo(false);
      continue;
    }
    if (unpinned !== '' && !refusesLinks(unpinned)) {
      undo(false);
      return committed ?? { kind: 'failed', code: unpinned };
    }
    if (unpinned !== '' && seen.state === 'expired') {
      // Without a pin nobody would notice a write into the expired file in the meantime. So take it
      // out first.
      undo(false);
      if (takeOutExpired(disk, tenure, sentinel, now)) {
        takenOut = seen.kept;
        continue;
      }
      return { kind: 'failed', code: 'contested' };
    }
    // INVARIANT 1: compare AFTER the pin: the same inode, the same content, and still named ESTOP.
    // (Do not compare the link count: it includes other owners' pins and a user's backups.)
    if (unpinned === '' && !stillSeen(disk, sentinel, pin.path, seen, now)) {
      undo(true);
      continue;
    }
    const code = failureOf(() => disk.rename(draft, sentinel)); // COMMIT (replace): ENOENT after a takeover
    if (code === 'ENOENT') {
      if (committed !== null) return committed;
      throw new TenureLost();
    }
    if (code !== '') {
      undo(unpinned === '');
      return committed ?? { kind: 'failed', code }; // a folder is there, or it is a mount point
    }
    committed = { kind: 'committed', holds: standing, generation };
    disk.fsyncDir(tenure.scope);
    for (const { pin: from, found } of slipped) from.merged = found.kept;
    if (unpinned === '') pins.push(pin);
    slipped = writtenUnderUs(disk, pins, now);
    if (slipped.length === 0) return finish(committed);
  }
  return committed === null ? { kind: 'failed', code: 'contested' } : finish(committed);
}

/** Adds the holds of `more` that are not in `holds` yet. */
export function union(holds: readonly Hold[], more: readonly Hold[]): Hold[] {
  const known = new Set(holds.map(textOf));
  return [...holds, ...more.filter((hold) => !known.has(textOf(hold)))];
}

function mergeSlipped(
  holds: readonly Hold[],
  { pin, found }: { readonly pin: Pin; readonly found: Sentinel },
): Hold[] {
  const merged = new Set(pin.merged.map(textOf));
  const others = holds.filter((hold) => !merged.has(textOf(hold)));
  return union(others, found.kept);
}

/**
 * Displaced files that changed since they were seen: an in-place writer wrote into them during the
 * commit.
 */
function writtenUnderUs(disk: DiskPort, pins: readonly Pin[], now: number) {
  const slipped: { pin: Pin; found: Sentinel }[] = [];
  for (const pin of pins) {
    let found = inspect(disk, pin.path, now);
    // A single failed read does not mean that there is a writer. A disk that keeps failing may hide
    // one.
    if (couldNotLook(found.unreadable)) found = inspect(disk, pin.path, now);
    pin.isUnseen = couldNotLook(found.unreadable);
    if (pin.isUnseen || found.kept.length === 0 || tagOf(found) === pin.known) continue;
    pin.known = tagOf(found);
    slipped.push({ pin, found });
  }
  return slipped;
}

function stillSeen(
  disk: DiskPort,
  sentinel: string,
  pin: string,
  seen: Sentinel,
  now: number,
): boolean {
  if (tagOf(inspect(disk, pin, now)) !== tagOf(seen)) return false;
  return orNull(() => disk.lstat(sentinel))?.ino === seen.ino;
}

/**
 * Removes claims of the files that we displaced. A robbed owner's call can make such a claim late.
 * Our commit supersedes it, and it must be removed before the pin that proves so.
 */
function dropLateClaims(disk: DiskPort, tenure: Tenure, pins: readonly Pin[]): void {
  if (pins.length === 0) return;
  const displaced = pins.map((pin) => seenByPin(pin.path.slice(pin.path.lastIndexOf('/') + 1)));
  for (const name of orNull(() => disk.readdir(tenure.dir)) ?? []) {
    if (!isClaim(name)) continue;
    const ino = orNull(() => disk.lstat(join(tenure.dir, name)))?.ino;
    if (ino !== undefined && displaced.some((tag) => tag.startsWith(`${ino}~`))) {
      discard(disk, tenure, name);
    }
  }
}

function writeDraft(disk: DiskPort, path: string, text: string): string {
  let handle: ReturnType<DiskPort['open']> | undefined;
  const unopened = failureOf(() => {
    handle = disk.open(path, 'wx');
  });
  if (handle === undefined) return unopened;
  const draft = handle;
  const unwritten = failureOf(() => {
    disk.write(draft, text);
    disk.fsync(draft);
  });
  const unclosed = failureOf(() => disk.close(draft));
  const failure = unwritten === '' ? unclosed : unwritten;
  if (failure !== '') failureOf(() => disk.unlink(path));
  return failure;
}

/**
 * COMMIT (create) where hard links are refused: creates an empty file, exclusively, and renames the
 * body over it. The rename is fenced like every other commit, since its source lies in the tenure.
 * If the tenure is taken over or this process is killed in between, the empty file holds. That is
 * stricter than asked, and anonymous (decision: `2026-11-29-without-hard-links.md`).
 */
function createThenReplace(disk: DiskPort, draft: string, sentinel: string): string {
  const code = failureOf(() => disk.close(disk.open(sentinel, 'wx')));
  return code === '' ? failureOf(() => disk.rename(draft, sentinel)) : code;
}

/**
 * Moves the expired sentinel into the tenure and removes it. false: somebody wrote into it. It then
 * holds from inside the tenure and is given back.
 */
function takeOutExpired(disk: DiskPort, tenure: Tenure, sentinel: string, now: number): boolean {
  const name = claimName(tenure.token);
  const code = failureOf(() => disk.rename(sentinel, join(tenure.dir, name)));
  if (code !== '') return code === 'ENOENT';
  if (inspect(disk, join(tenure.dir, name), now).state !== 'expired') return false;
  discard(disk, tenure, name);
  return true;
}
