/**
 * A live hold that lies in a tenure is put back to where it holds for everybody.
 * Which claims those are is `settle.ts`, and for their own claims `lift.ts` and `retire.ts`.
 */
import { codeOf, couldNotLook, failureOf, orNull, refusesLinks } from '../files/errno.ts';
import { inspect, tagOf } from './inspect.ts';
import { claimName, join, SENTINEL } from './names.ts';
import type { DiskPort, Handle } from './port.ts';
import { rewrite, union } from './rewrite.ts';
import { discard, discardOwn, type Tenure, TenureLost } from './tenure-entries.ts';

/** In-place writers can change a claim while it is merged; then it is merged again, but not for ever. */
const MERGES = 4;
/** Serial numbers of names, apart from those that arm and lift use in the same tenure. */
const GIVE_BACK_SERIAL = 200;

/** A live hold in a tenure: puts the SAME inode back, never over anything; merges where the name is taken. */
export function giveBack(disk: DiskPort, tenure: Tenure, name: string): void {
  const claim = join(tenure.dir, name);
  for (let merge = 0; merge < MERGES; merge++) {
    const returned = putBack(disk, tenure, claim);
    // Cannot write, now or at all: the claim stays in the tenure, and goes on holding.
    if (returned === 'stays') return;
    if (returned === 'taken') {
      // Somebody armed meanwhile: both stand. (A dead owner's own link of it: nothing to add.)
      const found = inspect(disk, claim, disk.now());
      // What could not be looked at cannot be merged. It stays in the tenure, and goes on holding.
      if (couldNotLook(found.unreadable)) return;
      const merged = rewrite<'gone' | 'same'>(
        disk,
        tenure,
        (seen) => {
          if (seen.state === 'absent') return { stop: 'gone' };
          const keep = union(seen.kept, found.kept);
          return keep.length === seen.kept.length ? { stop: 'same' } : { keep };
        },
        { serial: GIVE_BACK_SERIAL + merge * 10 },
      );
      if (merged.kind === 'stopped' && merged.stop === 'gone') continue;
      if (merged.kind === 'failed') return;
      // It is being written in place: merge that too.
      if (tagOf(inspect(disk, claim, disk.now())) !== tagOf(found)) continue;
    }
    disk.fsyncDir(tenure.scope);
    if (returned !== 'moved') discardOwn(disk, tenure, name);
    return;
  }
}

type Returned = 'linked' | 'copied' | 'moved' | 'taken' | 'stays';

function putBack(disk: DiskPort, tenure: Tenure, claim: string): Returned {
  const sentinel = join(tenure.scope, SENTINEL);
  const code = failureOf(() => disk.link(claim, sentinel));
  if (code === '') return 'linked';
  if (code === 'ENOENT') throw new TenureLost();
  if (code === 'EEXIST') return 'taken';
  return refusesLinks(code) ? putBackWithoutLink(disk, tenure, claim) : 'stays';
}

/**
 * Where hard links are refused: a regular file is copied, exclusively; anything else, and what we
 * may not read, is moved back.
 */
function putBackWithoutLink(disk: DiskPort, tenure: Tenure, claim: string): Returned {
  const sentinel = join(tenure.scope, SENTINEL);
  let source: Handle | null = null;
  if (orNull(() => disk.lstat(claim))?.kind === 'file') {
    try {
      source = disk.open(claim, 'r');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new TenureLost();
    }
  }
  if (source !== null) return copy(disk, tenure, source);
  // A foreign file that appears in this very moment is replaced by a hold: it still holds, and is
  // documented. A folder cannot replace a file.
  if (orNull(() => disk.lstat(sentinel)) !== null) return 'taken';
  return failureOf(() => disk.rename(claim, sentinel)) === '' ? 'moved' : 'stays';
}

/** Closes `source`. What is no text becomes an empty file: it held without a deadline, and still does. */
function copy(disk: DiskPort, tenure: Tenure, source: Handle): Returned {
  const sentinel = join(tenure.scope, SENTINEL);
  const text = orNull(() => decode(disk.read(source))) ?? '';
  failureOf(() => disk.close(source));
  let target: Handle;
  try {
    target = disk.open(sentinel, 'wx');
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? 'taken' : 'stays';
  }
  const unwritten = failureOf(() => {
    disk.write(target, text);
    disk.fsync(target);
  });
  if (unwritten !== '') undoCopy(disk, tenure, target);
  failureOf(() => disk.close(target));
  return unwritten === '' ? 'copied' : 'stays';
}

/**
 * Half a body would be a hold of nobody's. Empty first, so that it holds whatever comes next.
 * INVARIANT 1: by now somebody may have robbed us, merged it and armed over it. So it is moved into the
 * tenure, which fails then, and only what is ours is removed; anything else is given back by who settles.
 */
function undoCopy(disk: DiskPort, tenure: Tenure, target: Handle): void {
  failureOf(() => disk.truncate(target));
  const name = claimName(disk.token());
  const moved = join(tenure.dir, name);
  if (failureOf(() => disk.rename(join(tenure.scope, SENTINEL), moved)) !== '') return;
  const ino = orNull(() => disk.inoOf(target));
  if (orNull(() => disk.lstat(moved))?.ino === ino) discard(disk, tenure, name);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}
