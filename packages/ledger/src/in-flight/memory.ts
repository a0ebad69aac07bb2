/**
 * What was listed of a register before, so that looking again costs one `lstat` for each claim whose
 * folder is as it was. Only what stands is remembered: whether its work runs is judged anew each time.
 * Who lists a folder is `claims.ts`.
 */
import type { ClaimEntry, ClaimListing } from './claims.ts';
import type { WorkText } from './texts.ts';

/** Of one home; for whoever reads its register again and again. */
export interface RegisterMemory {
  /** A new look begins: what it does not meet is forgotten with the next one. */
  look(): void;
  /** undefined: this folder must be listed. */
  recall(digest: string, folder: FolderStamp): ClaimListing | undefined;
  keep(digest: string, folder: FolderStamp, listed: ClaimListing): void;
  /** A claim's text is written before the claim stands, and never again. */
  readonly texts: WeakMap<ClaimEntry, WorkText>;
}

/** An entry that comes, goes or gets another name changes the time; another folder has another number. */
export interface FolderStamp {
  readonly ino: number;
  readonly ctimeMs: number;
}

interface RememberedFolder extends FolderStamp {
  readonly listed: ClaimListing;
  /** When its folder was first met with this stamp. */
  readonly metMs: number;
  /** It was listed so long after that, that whatever changed it later has another time. */
  readonly isSure: boolean;
}

/**
 * Longer than one tick of a file system's clock: two seconds on the coarsest. Told by our own clock,
 * since the folder's may be that of another machine.
 */
const TICK_MS = 3_000;
/** Each is listed in one of so many looks all the same: a clock that was put back may tell one time twice. */
const LOOKS = 8;

/** `clock`: milliseconds that only grow. */
export function registerMemory(clock: () => number = () => performance.now()): RegisterMemory {
  let before = new Map<string, RememberedFolder>();
  let now = new Map<string, RememberedFolder>();
  let looks = 0;

  const known = (digest: string, { ino, ctimeMs }: FolderStamp): RememberedFolder | undefined => {
    const kept = now.get(digest) ?? before.get(digest);
    return kept?.ino === ino && kept.ctimeMs === ctimeMs ? kept : undefined;
  };

  return {
    look() {
      before = now;
      now = new Map();
      looks += 1;
    },
    recall(digest, folder) {
      const kept = known(digest, folder);
      if (kept === undefined || !kept.isSure) return undefined;
      // Not all of them in the same look.
      if ((Number.parseInt(digest.slice(0, 2), 16) + looks) % LOOKS === 0) return undefined;
      now.set(digest, kept);
      return kept.listed;
    },
    keep(digest, folder, listed) {
      const { ino, ctimeMs } = folder;
      const nowMs = clock();
      const metMs = known(digest, folder)?.metMs ?? nowMs;
      // Nothing is not remembered: a remote disk may tell an old time, and no work be hidden by it.
      const isSure = listed.claims.length > 0 && nowMs - metMs >= TICK_MS;
      now.set(digest, { ino, ctimeMs, listed, metMs, isSure });
    },
    texts: new WeakMap(),
  };
}
