/**
 * Caches listings of a register, so that another read costs one `lstat` for each claim whose folder is
 * unchanged. Only the claims are cached: whether their work runs is judged at each read.
 * Listing a folder is `claims.ts`.
 */
import type { ClaimEntry, ClaimListing } from './listing.ts';
import type { WorkText } from './texts.ts';

/** The cache of one home, for callers that read its register repeatedly. */
export interface RegisterMemory {
  /** Starts a new read. Entries that it does not use are dropped at the next one. */
  look(): void;
  /** The cached listing; undefined if the folder must be listed. */
  recall(digest: string, folder: FolderStamp): ClaimListing | undefined;
  keep(digest: string, folder: FolderStamp, listed: ClaimListing): void;
  /** Texts of claims. A text is written before its claim exists and never changes. */
  readonly texts: WeakMap<ClaimEntry, WorkText>;
}

/** Adding, removing or renaming an entry changes the time; another folder has another inode number. */
export interface FolderStamp {
  readonly ino: number;
  readonly ctimeMs: number;
}

interface RememberedFolder extends FolderStamp {
  readonly listed: ClaimListing;
  /** When the folder was first seen with this stamp, on the cache's clock. */
  readonly metMs: number;
  /** It was listed so long after that that a later change must have another time. */
  readonly isSure: boolean;
}

/**
 * Longer than one tick of a file system's clock, which is two seconds at most. Measured with our own
 * clock, since the folder's times may come from another machine.
 */
const TICK_MS = 3_000;
/** Each folder is listed in one of this many reads anyway: a clock that was set back can repeat a time. */
const LOOKS = 8;

/** `clock` returns monotonic milliseconds. Default: `performance.now`. */
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
      // Spread over the reads, so that not all folders are listed in the same one.
      if ((Number.parseInt(digest.slice(0, 2), 16) + looks) % LOOKS === 0) return undefined;
      now.set(digest, kept);
      return kept.listed;
    },
    keep(digest, folder, listed) {
      const { ino, ctimeMs } = folder;
      const nowMs = clock();
      const metMs = known(digest, folder)?.metMs ?? nowMs;
      // An empty listing is not cached: a remote disk may report an old time, which would hide work.
      const isSure = listed.claims.length > 0 && nowMs - metMs >= TICK_MS;
      now.set(digest, { ino, ctimeMs, listed, metMs, isSure });
    },
    texts: new WeakMap(),
  };
}
