/**
 * Waits until gates of another implementation have finished retiring what an arm replaced.
 *
 * Such a gate (hermes-agent's) examines `ESTOP`, and when it has expired moves it aside under a name
 * of its own, looks at what it got, and links back what it did not mean. A hold that was armed after
 * it examined and before it moved is out of sight for as long as that takes: mostly under a
 * millisecond, on a busy machine tens of them. Nothing can prevent that move, since it knows no
 * tenure. So the arm says that it succeeded only once it is over.
 */

import { orNull } from '../files/errno.ts';
import { clockAt, hasExpired } from '../model/deadline.ts';
import { checkOnce } from './check.ts';
import type { Sentinel } from './inspect.ts';
import type { DiskPort } from './port.ts';
import type { ArmResult } from './results.ts';

/** How the name begins under which the other implementation keeps what it moved aside. */
const ASIDE = '.ESTOP.retiring-';
/** `pause(4)` is 8 ms at least; five of them are longer than a gate was seen to take between look and move. */
const PAUSE = 4;
/** About a second: an aside name that stays was left by a gate that died. */
const MAX_LOOKS = 120;
/** And no longer where each look is slow: whoever may write here can make the folder a long one. */
const MAX_MS = 2_000;

type Armed = Extract<ArmResult, { armed: true }>;

/** May a gate have examined one of these and found it expired, before the arm replaced it just now? */
export const mayBeInRetirement = (
  disk: DiskPort,
  dir: string,
  seen: readonly Sentinel[],
): boolean =>
  seen.some(({ state, holds }) => {
    if (state === 'expired') return true;
    // One gate has just removed it, and another is still about to.
    if (state === 'absent') return hasAside(disk, dir);
    // It has expired since the arm looked.
    return holds.every(
      (hold) => hold.expiresAtMs !== null && hasExpired(hold, clockAt(disk.now(), disk)),
    );
  });

/**
 * `armed` as it stands once the folder was quiet for `quietLooks` looks in a row; null: it is gone,
 * since it was lifted meanwhile, or the gate found the name taken and dropped what it had aside.
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
    // The names first: what is moved away between the two looks is then missing in the second.
    const isAside = hasAside(disk, dir);
    const found = asItStands(disk, dir, armed);
    const isSame = (found === null) === (standing === null);
    standing = found;
    quiet = isSame && !isAside ? quiet + 1 : 0;
  }
  return standing;
}

function asItStands(disk: DiskPort, dir: string, armed: Armed): Armed | null {
  // What its own deadline has ended meanwhile was armed all the same.
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
