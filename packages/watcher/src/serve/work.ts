/**
 * What is in hand in a lane, as the register that its gateways keep on disk says it: so it is known
 * also after they were killed. What gateways report themselves is in their views; who is told the
 * names in it is `redaction.ts`.
 * Whether recorded work still runs is judged by the ledger. Of one lane at a time: a process that
 * dies changes no file, so that counts of all lanes could not be kept, and would have to be made anew
 * for every state that is served.
 */
import { opendirSync } from 'node:fs';
import { join } from 'node:path';
import { type RegisterRead, readRegister, type WorkRecord } from '@fleet-estop/ledger';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { homeOf } from './refusals.ts';

export interface WorkInHand {
  readonly looked_at: string;
  /** How much of each fate; null where not all of it could be read: there may be more. */
  readonly counts: {
    readonly running: number;
    readonly unproven: number;
    readonly abandoned: number;
  } | null;
  /** How much was read, at least. */
  readonly read: number;
  readonly newest: readonly WorkRecord[];
  /** At most eight of the places that could not be read. */
  readonly unreadable: readonly { readonly path: string; readonly why: string }[];
}

const MAX_NEWEST = 50;
const MAX_UNREADABLE = 8;
/** Many who ask at once are told of one reading. */
const MIN_CACHE_MS = 500;
/** Of the watcher's time, reading one register takes at most one part in so many. */
const READ_TIME_SHARE = 20;
const MAX_CACHED = 64;
/** Some hundred milliseconds of reading, in which the watcher does nothing else. */
const MAX_CLAIMS = 2_000;
const CLAIMS = '.fleet/in-flight/claims';

interface CachedWork {
  readonly work: WorkInHand;
  readonly untilMs: number;
}

/** Answers the work of a lane that there is. `clock`: milliseconds that only grow. */
export function workInHand(
  root: string,
  clock: () => number = () => performance.now(),
): (name: string) => WorkInHand {
  const cached = new Map<string, CachedWork>();
  return (name) => {
    const beganMs = clock();
    const known = cached.get(name);
    if (known !== undefined && beganMs < known.untilMs) return known.work;
    const work = viewOf(readBounded(homeOf(root, name)), Date.now());
    const endedMs = clock();
    const untilMs = endedMs + Math.max(MIN_CACHE_MS, READ_TIME_SHARE * (endedMs - beganMs));
    cached.delete(name);
    cached.set(name, { work, untilMs });
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return work;
  };
}

function readBounded(home: string): RegisterRead {
  if (!hasTooManyClaims(join(home, CLAIMS))) return readRegister(home);
  return { complete: false, work: [], unreadable: [{ path: 'claims', why: 'too-many' }] };
}

/** Are there more claims than are read? */
function hasTooManyClaims(folder: string): boolean {
  try {
    const dir = opendirSync(folder);
    try {
      for (let left = MAX_CLAIMS; dir.readSync() !== null; left--) if (left === 0) return true;
      return false;
    } finally {
      dir.closeSync();
    }
  } catch (error) {
    // Whoever reads it finds the same, and says it.
    if (typeof (error as { code?: unknown } | null)?.code === 'string') return false;
    throw error;
  }
}

function viewOf(read: RegisterRead, nowMs: number): WorkInHand {
  const { work } = read;
  const count = (fate: WorkRecord['fate']) => work.filter((record) => record.fate === fate).length;
  const [running, unproven, abandoned] = [count('running'), count('unproven'), count('abandoned')];
  return {
    looked_at: formatInstant(nowMs),
    counts: read.complete ? { running, unproven, abandoned } : null,
    read: work.length,
    newest: [...work].sort((a, b) => sinceMs(b) - sinceMs(a)).slice(0, MAX_NEWEST),
    unreadable: read.complete ? [] : read.unreadable.slice(0, MAX_UNREADABLE),
  };
}

/** What has no stamp that can be read comes first: it must not be overlooked. */
function sinceMs({ since }: WorkRecord): number {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}
