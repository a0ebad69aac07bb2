/**
 * Where the claims of a register stand, by the names that the ledger's README gives: for whoever is to
 * remove one. An entry's name is one owner's and used once, so that whoever removes it late, after
 * somebody has begun that work anew, finds nothing.
 * What a claim says, and whether its work runs, is the ledger's.
 */

import { createHash } from 'node:crypto';
import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkRecord } from '@fleet-estop/ledger';

export const registerFolder = (home: string): string => join(home, '.fleet', 'in-flight');
export const claimsFolder = (home: string): string => join(registerFolder(home), 'claims');

/** As many as the ledger reads. */
const MAX_CLAIMS = 10_000;
const MAX_ENTRIES = 16;

interface Claim {
  readonly digest: string;
  readonly path: string;
}

/**
 * The path of each claim's entry, found by its process and by what it says. Left out: whose text was
 * cut or lost, where that fits several.
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
    // Those without any text are one like the other.
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

/** `<owner>.<number>.<pid>.<birth>`; any other name is nobody's. */
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

/** Nothing of what cannot be listed: the register's reader says so. */
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
