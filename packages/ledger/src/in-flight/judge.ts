/**
 * Judges whether the work of a claim runs, as far as this process can tell now.
 * Readers report the result; `fence.ts` and `settle.ts` act on it.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type Fate, fateOf } from '@fleet-estop/sentinel-core';
import { type ClaimName, OWNER_FILE, ownersFolder } from './names.ts';
import { type OwnerRecord, parseOwner, readText } from './texts.ts';

/**
 * `running`: its process lives, or cannot be seen from here and its owner renewed its lease in time.
 * `unproven`: its process cannot be seen, and the lease has expired. It still counts as running.
 * `abandoned`: its process is certainly gone, whatever the lease says.
 */
export type WorkFate = 'running' | 'unproven' | 'abandoned';

export interface Judge {
  /** The moment that is judged, on the wall clock. */
  readonly nowMs: number;
  /** The fate of a claim; null is a claim whose name cannot be parsed. */
  fateOf(name: ClaimName | null): WorkFate;
  /** The owner's record; null if there is none or it cannot be read. */
  recordOf(owner: string): OwnerRecord | null;
  isGone(owner: string): boolean;
  /** Milliseconds since the owner renewed its lease; without a record, since its folder changed. */
  silentMs(owner: string): number;
}

interface OwnerTrace {
  readonly record: OwnerRecord | null;
  readonly heardMs: number;
  /** A record exists but cannot be read, so nothing can be concluded from it. */
  readonly isUnreadable: boolean;
}

/**
 * A judge for one moment; it caches what it reads. `alone` names the owner that has the home to itself:
 * work of any other owner that cannot be seen is then gone, whatever its lease says.
 */
export function judgeAt(home: string, nowMs: number, alone: string | null = null): Judge {
  const owners = new Map<string, OwnerTrace>();
  const fates = new Map<string, Fate>();

  const heardOf = (owner: string): OwnerTrace => {
    const known = owners.get(owner);
    if (known !== undefined) return known;
    const heard = readOwner(home, owner);
    owners.set(owner, heard);
    return heard;
  };
  // A clock that was set back must not renew a lease.
  const silentMs = (owner: string) => Math.abs(nowMs - heardOf(owner).heardMs);
  const processFate = (owner: string, pid: number, birth: string): Fate => {
    const { record } = heardOf(owner);
    if (record === null) return 'unknown';
    const key = `${owner} ${pid} ${birth}`;
    const fate = fates.get(key) ?? fateOf({ pid, birth, place: record.place });
    fates.set(key, fate);
    return fate;
  };
  const workFate = (owner: string, pid: number, birth: string): WorkFate => {
    const fate = processFate(owner, pid, birth);
    if (fate !== 'unknown') return fate === 'alive' ? 'running' : 'abandoned';
    if (alone !== null && owner !== alone && !heardOf(owner).isUnreadable) return 'abandoned';
    return silentMs(owner) <= (heardOf(owner).record?.leaseMs ?? 0) ? 'running' : 'unproven';
  };

  return {
    nowMs,
    fateOf: (name) => (name === null ? 'unproven' : workFate(name.owner, name.pid, name.birth)),
    recordOf: (owner) => heardOf(owner).record,
    isGone(owner) {
      const { record } = heardOf(owner);
      return workFate(owner, record?.pid ?? 0, record?.birth ?? '') === 'abandoned';
    },
    silentMs,
  };
}

function readOwner(home: string, owner: string): OwnerTrace {
  const folder = join(ownersFolder(home), owner);
  try {
    const { text, writtenMs } = readText(join(folder, OWNER_FILE));
    const record = parseOwner(text);
    return { record, heardMs: writtenMs, isUnreadable: record === null };
  } catch (error) {
    const isUnreadable = codeOf(error) !== 'ENOENT';
    return { record: null, heardMs: madeMs(folder), isUnreadable };
  }
}

function madeMs(folder: string): number {
  try {
    return lstatSync(folder).mtimeMs;
  } catch (error) {
    codeOf(error);
    return Number.NEGATIVE_INFINITY;
  }
}
