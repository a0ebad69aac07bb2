/**
 * Work in hand of one profile, from the register that its gateways keep on disk, so it is known
 * even after they were killed. What gateways report is in their views; removing names is
 * `redaction.ts`.
 * The ledger judges whether recorded work still runs. Only for one profile at a time: a dying
 * process changes no file, so counts of all profiles could not be cached and would have to be
 * recomputed for every state document.
 */
import { type RegisterRead, readRegister, type WorkRecord } from '@fleet-estop/ledger';
import type { WorkDocument } from '@fleet-estop/protocol';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { homeOf } from './refusals.ts';

/** Before names are removed for some clients. */
export type WorkInHand = Omit<WorkDocument, 'people'>;

const MAX_NEWEST = 50;
const MAX_UNREADABLE = 8;
/** Simultaneous requests get the same reading. */
const MIN_CACHE_MS = 500;
/** Reading one register takes at most 1/20 of the watcher's time. */
const READ_TIME_SHARE = 20;
const MAX_CACHED = 64;
/** Some hundred milliseconds of reading, which block the watcher. */
const MAX_CLAIMS = 2_000;

interface CachedWork {
  readonly work: WorkInHand;
  readonly untilMs: number;
}

/** Answers the work of an existing profile. `clock`: monotonic milliseconds. */
export function workInHand(
  root: string,
  clock: () => number = () => performance.now(),
): (name: string) => WorkInHand {
  const cached = new Map<string, CachedWork>();
  return (name) => {
    const beganMs = clock();
    const known = cached.get(name);
    if (known !== undefined && beganMs < known.untilMs) return known.work;
    const work = viewOf(readRegister(homeOf(root, name), { most: MAX_CLAIMS }), Date.now());
    const endedMs = clock();
    const untilMs = endedMs + Math.max(MIN_CACHE_MS, READ_TIME_SHARE * (endedMs - beganMs));
    cached.delete(name);
    cached.set(name, { work, untilMs });
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return work;
  };
}

function viewOf(read: RegisterRead, nowMs: number): WorkInHand {
  const { work } = read;
  const count = (fate: WorkRecord['fate']) => work.filter((record) => record.fate === fate).length;
  const [running, unproven, abandoned] = [count('running'), count('unproven'), count('abandoned')];
  const wedged = work.filter((record) => record.wedged).length;
  const newest = [...work].sort((a, b) => sinceMs(b) - sinceMs(a)).slice(0, MAX_NEWEST);
  return {
    looked_at: formatInstant(nowMs),
    counts: read.complete ? { running, unproven, abandoned, wedged } : null,
    read: work.length,
    newest: newest.map(({ stallMs, progressAt, ...record }) => ({
      ...record,
      stall_ms: stallMs,
      progress_at: progressAt,
    })),
    unreadable: read.complete ? [] : read.unreadable.slice(0, MAX_UNREADABLE),
  };
}

/** Work without a readable stamp comes first, so that it is not overlooked. */
function sinceMs({ since }: WorkRecord): number {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}
