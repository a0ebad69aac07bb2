/**
 * Finishes or gives back what lies in a tenure: after a takeover, and before a release.
 * `tenure.ts` decides who may do so and when; `stock.ts` takes stock of what lies there.
 */
import { couldNotLook, failureOf, orNull } from '../files/errno.ts';
import { giveBack } from './give-back.ts';
import { inspect, tagOf } from './inspect.ts';
import { isRemoval, join, SENTINEL, seenByPin, seenByRemoval, standsAside } from './names.ts';
import type { DiskPort } from './port.ts';
import { rewrite, union } from './rewrite.ts';
import { takeStock } from './stock.ts';
import { discardOwn, type Tenure } from './tenure-entries.ts';

/** Bounds the merges of one pin: an in-place writer can change it while it is merged. */
const MERGES = 4;
/**
 * First serial number of the names used here. It differs from those that arm, lift and
 * `give-back.ts` use in the same tenure.
 */
const SETTLE_SERIAL = 300;

/**
 * Finishes or gives back what the previous owner left. Throws `TenureLost` if another owner takes
 * the tenure over in the meantime.
 */
export function settle(disk: DiskPort, tenure: Tenure): void {
  const at = (name: string) => join(tenure.dir, name);
  const { pins, claims } = takeStock(disk, tenure);
  const names = [...pins, ...claims];

  // A claim of the very file that a commit displaced landed late: the commit supersedes it. The
  // same goes for a claim of a file that had been given back and that a lift has taken out since.
  //
  // INVARIANT 1: a claim that was written in place since then is not superseded. Nor does its pin
  // prove that anything was displaced. A robbed owner's link of a file that was still `ESTOP` can
  // land after the draft was removed, and the owner that removed the draft can die before it
  // removes the pin. So if there is no sentinel, nothing displaced the claim.
  const nothingStands = claims.length > 0 && isAbsent(disk, join(tenure.scope, SENTINEL));
  const displaced = claims.length === 0 || nothingStands ? [] : displacedBy(disk, tenure, pins);
  if (claims.length > 1) displaced.push(...liftedBy(disk, tenure, claims));
  for (const name of claims) {
    const found = inspect(disk, at(name), disk.now());
    const stands = standsAside(name, found, names) && !displaced.includes(tagOf(found));
    if (stands) giveBack(disk, tenure, name);
    else discardOwn(disk, tenure, name);
  }

  let serial = SETTLE_SERIAL;
  for (const name of pins) {
    for (let merge = 0; merge < MERGES; merge++) {
      const found = inspect(disk, at(name), disk.now());
      // It still holds where it is, until somebody can read it.
      if (couldNotLook(found.unreadable)) break;
      if (standsAside(name, found, names)) {
        serial += 10;
        const merged = rewrite(
          disk,
          tenure,
          (seen) =>
            seen.state === 'absent' ? { stop: true } : { keep: union(seen.kept, found.kept) },
          { serial },
        );
        // The disk is full: leave it. It still holds, and a later owner merges it.
        if (merged.kind === 'failed') break;
        // It was written in place during the merge: merge that too.
        const written = () => tagOf(inspect(disk, at(name), disk.now())) !== tagOf(found);
        if (merged.kind === 'committed' && written()) continue;
      }
      failureOf(() => disk.unlink(at(name)));
      break;
    }
  }
}

const isAbsent = (disk: DiskPort, path: string): boolean => orNull(() => disk.lstat(path)) === null;

/** Tags of the files that a lift took out exactly as it had seen them. */
function liftedBy(disk: DiskPort, { dir }: Tenure, claims: readonly string[]): string[] {
  return claims.filter(isRemoval).flatMap((claim) => {
    const found = inspect(disk, join(dir, claim), disk.now());
    return found.state === 'active' && seenByRemoval(claim) === tagOf(found) ? [tagOf(found)] : [];
  });
}

/**
 * Tags of the files that commits displaced, read from the pins that they left. INVARIANT 1: a pin
 * counts only if it links to the inode in its own name. Any other pin is a robbed owner's link that
 * landed late, on a file that somebody else had put there: nothing was displaced for it.
 */
function displacedBy(disk: DiskPort, { dir }: Tenure, pins: readonly string[]): string[] {
  return pins.flatMap((pin) => {
    const ino = orNull(() => disk.lstat(join(dir, pin)))?.ino;
    return ino !== undefined && seenByPin(pin).startsWith(`${ino}~`) ? [seenByPin(pin)] : [];
  });
}
