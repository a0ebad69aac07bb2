/**
 * Puts right what lies in a tenure: after a takeover, and before a release. Who may do so, and when, is
 * `tenure.ts`; what lies there is `stock.ts`.
 */
import { couldNotLook, failureOf, orNull } from '../files/errno.ts';
import { giveBack } from './give-back.ts';
import { inspect, tagOf } from './inspect.ts';
import { isRemoval, join, SENTINEL, seenByPin, seenByRemoval, standsAside } from './names.ts';
import type { DiskPort } from './port.ts';
import { rewrite, union } from './rewrite.ts';
import { takeStock } from './stock.ts';
import { discardOwn, type Tenure } from './tenure-entries.ts';

/** In-place writers can change a claim while it is merged; then it is merged again, but not for ever. */
const MERGES = 4;
/** Serial numbers of names, apart from those that arm, lift and `give-back.ts` use in the same tenure. */
const SETTLE_SERIAL = 300;

/** Puts right what the previous owner left. Throws `TenureLost` when we are robbed meanwhile. */
export function settle(disk: DiskPort, tenure: Tenure): void {
  const at = (name: string) => join(tenure.dir, name);
  const { pins, claims } = takeStock(disk, tenure);
  const names = [...pins, ...claims];

  // A claim of the very file that a commit displaced landed late, and is superseded by it; so is one of
  // a file that a lift has taken out since, which it had been given back to. INVARIANT 1: one that was
  // written in place since is not, and its pin does not even prove that anything was displaced: a
  // robbed owner's link of what still stood there can land after its draft was removed, and whoever
  // removed a draft can die before its pin. So where nothing stands, nothing displaced the claim.
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
      // It goes on holding where it is, until somebody can look at it.
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
        // The disk is full: leave it. It goes on holding, and somebody else merges it.
        if (merged.kind === 'failed') break;
        // It is being written in place: merge that too.
        const written = () => tagOf(inspect(disk, at(name), disk.now())) !== tagOf(found);
        if (merged.kind === 'committed' && written()) continue;
      }
      failureOf(() => disk.unlink(at(name)));
      break;
    }
  }
}

const isAbsent = (disk: DiskPort, path: string): boolean => orNull(() => disk.lstat(path)) === null;

/** What a lift took out exactly as it had seen it. */
function liftedBy(disk: DiskPort, { dir }: Tenure, claims: readonly string[]): string[] {
  return claims.filter(isRemoval).flatMap((claim) => {
    const found = inspect(disk, join(dir, claim), disk.now());
    return found.state === 'active' && seenByRemoval(claim) === tagOf(found) ? [tagOf(found)] : [];
  });
}

/**
 * What commits displaced, as it was seen, by the pins that they left. INVARIANT 1: a pin counts only if
 * it points at the inode that its own name says. Any other is a robbed owner's link that landed late,
 * over what somebody else had put there: nothing was displaced for it.
 */
function displacedBy(disk: DiskPort, { dir }: Tenure, pins: readonly string[]): string[] {
  return pins.flatMap((pin) => {
    const ino = orNull(() => disk.lstat(join(dir, pin)))?.ino;
    return ino !== undefined && seenByPin(pin).startsWith(`${ino}~`) ? [seenByPin(pin)] : [];
  });
}
