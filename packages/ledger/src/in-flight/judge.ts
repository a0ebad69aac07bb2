/**
 * Whether the work of a claim runs, as far as that can be told from here and now.
 * What follows from that is for whoever asks: a reader tells it, `fence.ts` and `settle.ts` act on it.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Fate, fateOf } from '@fleet-estop/liveness';
import { codeOf } from './errno.ts';
import { type ClaimName, OWNER_FILE, ownersFolder } from './names.ts';
import { type OwnerRecord, parseOwner, readText } from './texts.ts';

/**
 * `running`: its process lives; or that cannot be told from here, and its owner was heard within its
 * lease. `unproven`: it cannot be told, and its owner is silent. It counts as running all the same.
 * `abandoned`: its process is certainly gone, whatever the lease says.
 */
export type WorkFate = 'running' | 'unproven' | 'abandoned';

export interface Judge {
  /** null: a claim by a name that nobody understands. */
  fateOf(name: ClaimName | null): WorkFate;
  /** null: it has left no record that can be read. */
  recordOf(owner: string): OwnerRecord | null;
  isGone(owner: string): boolean;
  /** Since it was heard, or where it has left no record, since its folder was made. */
  silentMs(owner: string): number;
}

interface OwnerTrace {
  readonly record: OwnerRecord | null;
  readonly heardMs: number;
  /** It has left a record, which cannot be read: nothing follows from that. */
  readonly isUnreadable: boolean;
}

/**
 * Of one moment: it remembers what it found. `alone`: this owner has the home for itself, so that of
 * any other what cannot be told is gone, heard a moment ago or not.
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
  // A clock that was put back is no sign of life.
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
