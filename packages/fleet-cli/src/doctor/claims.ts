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

/** Answers each path once, since nothing else tells two claims apart that cannot be read. */
export function claimsOf(home: string): (record: WorkRecord) => string | null {
  const byProcess = new Map<string, Claim[]>();
  const folder = claimsFolder(home);
  for (const { name: digest } of entriesOf(folder, MAX_CLAIMS)) {
    if (!/^[0-9a-f]{32}$/.test(digest)) continue;
    for (const { name } of entriesOf(join(folder, digest), MAX_ENTRIES)) {
      const key = keyOfName(name);
      const claims = byProcess.get(key) ?? [];
      claims.push({ digest, path: join(folder, digest, name) });
      byProcess.set(key, claims);
    }
  }
  return ({ door, id, owner, pid }) => {
    const claims = byProcess.get(keyOf(owner, pid)) ?? [];
    const named = door === null || id === null ? null : digestOf(door, id);
    const found = claims.findIndex(({ digest }) => digest === named);
    // A text that was cut, forged or lost names no claim: it is one of those that are left.
    const [claim] = claims.splice(Math.max(0, found), 1);
    return claim?.path ?? null;
  };
}

const keyOf = (owner: string | null, pid: number | null): string => `${owner} ${pid}`;

/** `<owner>.<number>.<pid>.<birth>`; any other name is nobody's. */
function keyOfName(name: string): string {
  const parts = /^(\d{1,10}-[0-9a-f]{16})\.\d{1,15}\.([1-9]\d{0,9})\.\d{1,15}$/.exec(name);
  return parts === null ? keyOf(null, null) : keyOf(parts[1] ?? null, Number(parts[2]));
}

const digestOf = (door: string, id: string): string =>
  createHash('sha256')
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
