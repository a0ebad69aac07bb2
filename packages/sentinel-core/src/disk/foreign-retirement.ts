/**
 * Waits until gates of another implementation have finished retiring the sentinel that an arm
 * replaced.
 *
 * Such a gate (hermes-agent's) examines `ESTOP`. If it has expired, the gate renames it to a name
 * of its own, examines what it got, and links it back if that was not the expired file. A hold that
 * was armed between the examination and the rename is not visible in the meantime: mostly for less
 * than a millisecond, on a busy machine for tens of them. Nothing can prevent that rename, since
 * the gate does not know tenures. So an arm reports success only after the rename is over.
 */

import { orNull } from '../files/errno.ts';
import { clockAt, hasExpired } from '../model/deadline.ts';
import { checkOnce } from './check.ts';
import type { Sentinel } from './inspect.ts';
import type { DiskPort } from './port.ts';
import type { ArmResult } from './results.ts';

/** Prefix of the name to which the other implementation renames the sentinel. */
const ASIDE = '.ESTOP.retiring-';
/**
 * Attempt number for `pause`. `pause(4)` waits at least 8 ms; five of them are longer than a gate
 * was seen to take between its examination and its rename.
 */
const PAUSE = 4;
/** About one second. A file that keeps such a name longer was left by a gate that died. */
const MAX_LOOKS = 120;
/**
 * Milliseconds; bounds the wait where each look is slow. Every user who may write in the scope can
 * make its folder long.
 */
const MAX_MS = 2_000;

type Armed = Extract<ArmResult, { armed: true }>;

/**
 * Whether a gate may have examined one of these sentinels and found it expired, before the arm
 * replaced it.
 */
export const mayBeInRetirement = (
  disk: DiskPort,
  dir: string,
  seen: readonly Sentinel[],
): boolean =>
  seen.some(({ state, holds }) => {
    if (state === 'expired') return true;
    // One gate has just removed it, and another gate may still be about to.
    if (state === 'absent') return hasAside(disk, dir);
    // It expired after the arm looked.
    return holds.every(
      (hold) => hold.expiresAtMs !== null && hasExpired(hold, clockAt(disk.now(), disk)),
    );
  });

/**
 * The arm's result after the folder was quiet for `quietLooks` looks in a row. null: the hold is
 * gone. It was lifted in the meantime, or the gate found the name taken and dropped the file that
 * it had moved.
 */
export function outlastRetirement(
  disk: DiskPort,
  dir: string,
  armed: Armed,
  quietLooks: number,
): Armed | null {
  let standing: Armed | null = armed;
  const began = performance.now();
  for (let look = 0, quiet = 0; look < MAX_LOOKS && quiet < quietLooks; look++) {
    if (look >= quietLooks && performance.now() - began > MAX_MS) break;
    disk.pause(PAUSE);
    // List the names first: a hold that is moved away between the two looks is then missing in the
    // second.
    const isAside = hasAside(disk, dir);
    const found = asItStands(disk, dir, armed);
    const isSame = (found === null) === (standing === null);
    standing = found;
    quiet = isSame && !isAside ? quiet + 1 : 0;
  }
  return standing;
}

function asItStands(disk: DiskPort, dir: string, armed: Armed): Armed | null {
  // A hold that has expired in the meantime was armed all the same.
  if (hasExpired(armed.hold, clockAt(disk.now(), disk))) return armed;
  const found = checkOnce(disk, dir);
  if (!found.engaged) return null;
  const hold = found.holds.find(({ id }) => id === armed.id);
  return hold === undefined
    ? null
    : { ...armed, hold, holds: found.holds, generation: found.generation };
}

const hasAside = (disk: DiskPort, dir: string): boolean =>
  (orNull(() => disk.staged(dir, ASIDE)) ?? []).length > 0;
