/**
 * Arms a hold without a tenure. `arm.ts` uses it when no tenure can be acquired or when nothing can
 * be written in one: the disk is full or read-only, or the folder is forbidden.
 * It never writes into, truncates or replaces a hold in force. It may leave an empty file or a
 * folder named `ESTOP`. Such a hold never expires and admits nobody, which is stricter than asked,
 * and the result says so (`degraded`).
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

/** What was created at `ESTOP` (its inode and the means used), or the errno of the failure. */
type Placement = { readonly ino: string; readonly degraded: Degraded } | { readonly code: string };

/**
 * Arms the hold `mine` by the means that fit what is at `ESTOP`. `why` says what prevented a proper
 * arm. null: the sentinel is no longer what this function left there, so the caller arms again.
 *
 * absent: writes a body beside `ESTOP` and LINKS it there, which never replaces anything. If that
 * fails it creates an empty file, and if that fails a folder, which needs neither a descriptor nor
 * the right to create files.
 * expired: truncates the file through a handle that was read as expired. That needs no space, and
 * two such truncations agree; two writers of text there would destroy each other.
 * active: refuses. The scope is held already, and the answer says that only other holds are in
 * force.
 */
export function armBluntly(disk: DiskPort, dir: string, mine: Hold, why: string): ArmResult | null {
  const sentinel = join(dir, SENTINEL);
  const seen = inspect(disk, sentinel, disk.now());
  if (seen.state === 'active') return refused(why, seen);
  const placed =
    seen.state === 'absent' ? create(disk, dir, sentinel, mine) : overExpired(disk, dir, mine);
  if (placed === null) return null;
  if ('code' in placed) return refused(placed.code, seen); // nothing holds, and nothing could be written

  disk.fsyncDir(dir);
  // INVARIANT 5: success counts only if the file is seen on disk under that name.
  const now = inspect(disk, sentinel, disk.now());
  if (now.state !== 'active' || now.ino !== placed.ino) return null;
  const { degraded } = placed;
  const ours = now.holds.find(({ id }) => id === mine.id);
  const hold = degraded === 'direct' ? ours : now.holds[0];
  if (hold === undefined) return refused('overtaken', now);
  const { generation, holds } = now;
  return { armed: true, id: hold.id, hold, generation, holds, replaced: null, degraded, why };
}

function create(disk: DiskPort, dir: string, sentinel: string, mine: Hold): Placement | null {
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

/** null: the file or folder that was created is gone again, or an `lstat` of it fails. */
function placedAt(disk: DiskPort, sentinel: string, degraded: Degraded): Placement | null {
  const ino = orNull(() => disk.lstat(sentinel))?.ino;
  return ino === undefined ? null : { ino, degraded };
}

function createBeside(disk: DiskPort, draft: string, sentinel: string, mine: Hold): Placement {
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

/**
 * null: the sentinel is gone or no longer expired. A file with a second name (a backup) is removed,
 * never truncated.
 */
function overExpired(disk: DiskPort, dir: string, mine: Hold): Placement | null {
  const sentinel = join(dir, SENTINEL);
  const placed = truncateExpired(disk, sentinel);
  if (placed !== 'has-other-names') return placed;
  const retired = retire(disk, dir);
  if (retired.retired) return create(disk, dir, sentinel, mine);
  return { code: retired.why };
}

function truncateExpired(disk: DiskPort, sentinel: string): Placement | 'has-other-names' | null {
  let handle: Handle;
  try {
    handle = disk.open(sentinel, 'r+');
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? null : { code };
  }
  try {
    const ino = disk.inoOf(handle);
    // The open inode must have expired; the name may point at another file by now.
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

/** The result of an arm that armed nothing. */
export const refused = (why: string, seen: Sentinel): ArmResult => ({
  armed: false,
  why,
  engaged: seen.state === 'active',
  holds: seen.holds,
  generation: seen.generation,
});
