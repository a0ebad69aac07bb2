/**
 * Finds the files of claims in a register of work, so that a user can remove one. The file names are described
 * in the ledger's README. Each name is used once by one owner, so removing it late, after the work was begun
 * again, removes nothing.
 * Reading claims, and whether their work runs, is the ledger's.
 */

import { createHash } from 'node:crypto';
import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkRecord } from '@fleet-estop/ledger';

export const registerFolder = (home: string): string => join(home, '.fleet', 'in-flight');
export const claimsFolder = (home: string): string => join(registerFolder(home), 'claims');

/** As many claims as the ledger reads. */
const MAX_CLAIMS = 10_000;
const MAX_ENTRIES = 16;

interface Claim {
  readonly digest: string;
  readonly path: string;
}

/**
 * The path of each claim's file, found by its process and its content. A claim whose text was cut or lost is
 * left out if several files fit.
 */
export function claimsOf(
  home: string,
  work: readonly WorkRecord[],
): ReadonlyMap<WorkRecord, string> {
  const left = claimsIn(home);
  const found = new Map<WorkRecord, string>();
  const unnamed = new Map<string, WorkRecord[]>();
  for (const record of work) {
    const key = keyOf(record.owner, record.pid);
    const claims = left.get(key) ?? [];
    const at = claims.findIndex(({ digest }) => digest === digestOf(record));
    const [claim] = at === -1 ? [] : claims.splice(at, 1);
    if (claim !== undefined) found.set(record, claim.path);
    else unnamed.set(key, [...(unnamed.get(key) ?? []), record]);
  }
  for (const [key, records] of unnamed) {
    const claims = left.get(key) ?? [];
    // Claims without any text are interchangeable.
    if (records.length > 1 && records.some(({ id }) => id !== null)) continue;
    for (const [at, record] of records.entries()) {
      const claim = claims[at];
      if (claim !== undefined && claims.length === records.length) found.set(record, claim.path);
    }
  }
  return found;
}

function claimsIn(home: string): Map<string, Claim[]> {
  const claimsByOwner = new Map<string, Claim[]>();
  const folder = claimsFolder(home);
  for (const { name: digest } of entriesOf(folder, MAX_CLAIMS)) {
    if (!/^[0-9a-f]{32}$/.test(digest)) continue;
    for (const { name } of entriesOf(join(folder, digest), MAX_ENTRIES)) {
      const key = keyOfName(name);
      const claims = claimsByOwner.get(key) ?? [];
      claims.push({ digest, path: join(folder, digest, name) });
      claimsByOwner.set(key, claims);
    }
  }
  return claimsByOwner;
}

const keyOf = (owner: string | null, pid: number | null): string => `${owner} ${pid}`;

/** `<owner>.<number>.<pid>.<birth>`; any other name has no owner. */
function keyOfName(name: string): string {
  const parts = /^(\d{1,10}-[0-9a-f]{16})\.\d{1,15}\.([1-9]\d{0,9})\.\d{1,15}$/.exec(name);
  return parts === null ? keyOf(null, null) : keyOf(parts[1] ?? null, Number(parts[2]));
}

const digestOf = ({ door, id }: WorkRecord): string | null =>
  door === null || id === null
    ? null
    : createHash('sha256')
        .update(JSON.stringify([door, id]))
        .digest('hex')
        .slice(0, 32);

/** Empty if the folder cannot be listed: the register's reader reports that. */
function entriesOf(folder: string, most: number): Dirent[] {
  try {
    const dir = opendirSync(folder);
    try {
      const entries: Dirent[] = [];
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
        if (entries.length === most) break;
        entries.push(entry);
      }
      return entries;
    } finally {
      dir.closeSync();
    }
  } catch {
    return [];
  }
}
