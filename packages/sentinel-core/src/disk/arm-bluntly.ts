/**
 * Arming where no tenure can be had, or where nothing can be written in it: a full disk, a
 * read-only one, a forbidden folder.
 * Never writes into, truncates or replaces a standing hold. An empty file, or a folder of that name,
 * holds, never expires and admits nobody: stricter than asked, and said so.
 */

import { codeOf, failureOf, orNull } from '../files/errno.ts';
import { writeBody } from '../model/body.ts';
import { clockAt } from '../model/deadline.ts';
import type { Hold } from '../model/hold.ts';
import type { JsonObject } from '../model/json.ts';
import { classify, inspect, type Sentinel } from './inspect.ts';
import { fitBody } from './limits.ts';
import { join, SENTINEL, STAGING } from './names.ts';
import type { DiskPort, Handle } from './port.ts';
import type { ArmResult } from './results.ts';
import { retire } from './retire.ts';

const NO_EXTRA: JsonObject = Object.freeze(Object.create(null) as JsonObject);

type Degraded = NonNullable<Extract<ArmResult, { armed: true }>['degraded']>;

/** What was placed (which inode, and by which means), or the errno why nothing could be. */
type Placed = { readonly ino: string; readonly degraded: Degraded } | { readonly code: string };

/**
 * `why`: what prevented a proper arm. null: the sentinel is not what we left there, so arm once more.
 *
 * absent: a body written beside and LINKED, never over anything, or else an empty file, or else a
 * folder, which needs neither a descriptor nor the right to create files.
 * expired: truncated, through a handle that was read as expired. It needs no space, and two such
 * truncations agree; two writers of text there would destroy each other.
 * standing: refused; the scope is held already, and the answer says that only others hold.
 */
export function armBluntly(disk: DiskPort, dir: string, mine: Hold, why: string): ArmResult | null {
  const sentinel = join(dir, SENTINEL);
  const seen = inspect(disk, sentinel, disk.now());
  if (seen.state === 'active') return refused(why, seen);
  const placed =
    seen.state === 'absent' ? create(disk, dir, sentinel, mine) : overExpired(disk, dir, mine);
  if (placed === null) return null;
  if ('code' in placed) return refused(placed.code, seen); // nothing holds, nothing could be written

  disk.fsyncDir(dir);
  // INVARIANT 5: seen on disk, under that name, or it does not count.
  const now = inspect(disk, sentinel, disk.now());
  if (now.state !== 'active' || now.ino !== placed.ino) return null;
  const { degraded } = placed;
  const ours = now.holds.find(({ id }) => id === mine.id);
  const hold = degraded === 'direct' ? ours : now.holds[0];
  if (hold === undefined) return refused('overtaken', now);
  const { generation, holds } = now;
  return { armed: true, id: hold.id, hold, generation, holds, replaced: null, degraded, why };
}

function create(disk: DiskPort, dir: string, sentinel: string, mine: Hold): Placed | null {
  const beside = createBeside(disk, join(dir, STAGING + disk.token()), sentinel, mine);
  if ('ino' in beside) return beside;
  if (beside.code === 'EEXIST') return null;
  const empty = failureOf(() => disk.close(disk.open(sentinel, 'wx')));
  if (empty === '') return placedAt(disk, sentinel, 'empty');
  if (empty === 'EEXIST') return null;
  const folder = failureOf(() => disk.mkdir(sentinel));
  if (folder === '') return placedAt(disk, sentinel, 'folder');
  return folder === 'EEXIST' ? null : { code: folder };
}

/** null: what we placed is gone again, or cannot be looked at. */
function placedAt(disk: DiskPort, sentinel: string, degraded: Degraded): Placed | null {
  const ino = orNull(() => disk.lstat(sentinel))?.ino;
  return ino === undefined ? null : { ino, degraded };
}

function createBeside(disk: DiskPort, draft: string, sentinel: string, mine: Hold): Placed {
  const generation = disk.token();
  const body = fitBody([mine], (holds, options) => writeBody(generation, holds, NO_EXTRA, options));
  if ('code' in body) return body;
  let handle: Handle;
  try {
    handle = disk.open(draft, 'wx');
  } catch (error) {
    return { code: codeOf(error) };
  }
  let ino = '';
  let code = failureOf(() => {
    ino = disk.inoOf(handle);
    disk.write(handle, body.text);
    disk.fsync(handle);
  });
  const unclosed = failureOf(() => disk.close(handle));
  if (code === '') code = unclosed;
  if (code === '') code = failureOf(() => disk.link(draft, sentinel)); // COMMIT
  failureOf(() => disk.unlink(draft));
  return code === '' ? { ino, degraded: 'direct' } : { code };
}

/** null: gone or alive by now. A file with a second name (a backup) is removed, never truncated. */
function overExpired(disk: DiskPort, dir: string, mine: Hold): Placed | null {
  const sentinel = join(dir, SENTINEL);
  const placed = truncateExpired(disk, sentinel);
  if (placed !== 'has-other-names') return placed;
  const retired = retire(disk, dir);
  if (retired.retired) return create(disk, dir, sentinel, mine);
  return { code: retired.why };
}

function truncateExpired(disk: DiskPort, sentinel: string): Placed | 'has-other-names' | null {
  let handle: Handle;
  try {
    handle = disk.open(sentinel, 'r+');
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? null : { code };
  }
  try {
    const ino = disk.inoOf(handle);
    // THIS inode has expired, whatever the name stands for by now.
    const clock = clockAt(disk.now(), disk);
    const bytes = orNull(() => disk.read(handle));
    if (bytes === null || classify(bytes, ino, clock).state !== 'expired') return null;
    if (disk.namesOf(handle) > 1) return 'has-other-names';
    const code = failureOf(() => disk.truncate(handle));
    return code === '' ? { ino, degraded: 'empty' } : { code };
  } catch (error) {
    return { code: codeOf(error) };
  } finally {
    failureOf(() => disk.close(handle));
  }
}

export const refused = (why: string, seen: Sentinel): ArmResult => ({
  armed: false,
  why,
  engaged: seen.state === 'active',
  holds: seen.holds,
  generation: seen.generation,
});
