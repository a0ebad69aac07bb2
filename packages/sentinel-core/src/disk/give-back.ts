/**
 * Puts a claim that still holds back from a tenure to `ESTOP`, where every reader sees it.
 * `settle.ts` decides which claims these are; `lift.ts` and `retire.ts` decide it for their own
 * claims.
 */
import { codeOf, couldNotLook, failureOf, orNull, refusesLinks } from '../files/errno.ts';
import { inspect, tagOf } from './inspect.ts';
import { claimName, join, SENTINEL } from './names.ts';
import type { DiskPort, Handle } from './port.ts';
import { rewrite, union } from './rewrite.ts';
import { discard, discardOwn, type Tenure, TenureLost } from './tenure-entries.ts';

/** Bounds the merges of one claim: an in-place writer can change it while it is merged. */
const MERGES = 4;
/**
 * First serial number of the names used here. It differs from those that arm and lift use in the
 * same tenure.
 */
const GIVE_BACK_SERIAL = 200;

/**
 * Links the SAME inode back to `ESTOP`, which never replaces anything. If the name is taken, merges
 * the holds.
 */
export function giveBack(disk: DiskPort, tenure: Tenure, name: string): void {
  const claim = join(tenure.dir, name);
  for (let merge = 0; merge < MERGES; merge++) {
    const returned = putBack(disk, tenure, claim);
    // Nothing can be written now or at all: the claim stays in the tenure and still holds.
    if (returned === 'stays') return;
    if (returned === 'taken') {
      // A hold was armed in the meantime: both are in force. (If it is a dead owner's own link of
      // the claim, nothing is added.)
      const found = inspect(disk, claim, disk.now());
      // A claim that cannot be read cannot be merged. It stays in the tenure and still holds.
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
      // It was written in place during the merge: merge that too.
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
 * Puts a claim back where hard links are refused. A regular file is copied, exclusively. Anything
 * else, and a file that cannot be read, is moved back.
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
  // The rename replaces a foreign file that appears at this very moment with a hold. The scope is
  // still held, and the window is documented. A folder cannot replace a file.
  if (orNull(() => disk.lstat(sentinel)) !== null) return 'taken';
  return failureOf(() => disk.rename(claim, sentinel)) === '' ? 'moved' : 'stays';
}

/**
 * Copies the claim to `ESTOP` and closes `source`. A file that is not text becomes an empty file:
 * it held without a deadline, and still does.
 */
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
 * Removes a copy that could not be completed. Half a body would be an anonymous hold. The file is
 * truncated first, so that it holds whatever happens next.
 *
 * INVARIANT 1: another owner may have taken the tenure over, merged the copy and armed over it by
 * now. So the sentinel is moved into the tenure, which fails after a takeover, and only our own
 * inode is removed. The next settler gives anything else back.
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
