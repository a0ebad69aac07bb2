/**
 * Lists the claims on disk by their names.
 * Whether their work runs is `judge.ts`; their texts are `read-register.ts`.
 */
import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs';
import { codeOf } from '@fleet-estop/sentinel-core';
import { missedFolders, type Unreadable } from './folders.ts';
import { type ClaimName, claimsFolder, isDigest, parseName } from './names.ts';

/** Claims to list; if there are more, the listing is incomplete (`too-many`). */
const MAX_CLAIMS = 10_000;
/** Entries to list in a claim's folder, which normally has one. */
const MAX_ENTRIES = 16;
/**
 * Bytes of a folder's own size. The folder of a claim has some bytes or one block; a folder with a million
 * entries is larger on every file system that reports a size.
 */
const SMALL_FOLDER = 16 * 1024;

export interface ClaimEntry {
  readonly digest: string;
  readonly entry: string;
  /** null if the entry's name cannot be parsed. */
  readonly name: ClaimName | null;
}

export interface ClaimListing {
  /** Digests of empty folders: their work has ended. */
  readonly empty: readonly string[];
  readonly claims: readonly ClaimEntry[];
  readonly unreadable: readonly Unreadable[];
}

export interface ListOptions {
  /** Digests that the caller knows already. */
  readonly skip?: (digest: string) => boolean;
  readonly most?: number;
}

export function listClaims(
  home: string,
  { skip = () => false, most = MAX_CLAIMS }: ListOptions = {},
): ClaimListing {
  const empty: string[] = [];
  const claims: ClaimEntry[] = [];
  const unreadable: Unreadable[] = [];
  const folder = claimsFolder(home);
  const report = (path: string, why: string) => unreadable.push({ path, why });

  const folders = entriesOf(folder, most);
  // ENOENT: no work was begun here, or the folder is gone, which `missedFolders` reports below.
  const listed = folders === 'ENOENT' ? NO_ENTRIES : folders;
  if (typeof listed === 'string') {
    report('claims', listed);
    return { empty, claims, unreadable };
  }
  let isCut = listed.isCut;
  for (const claim of listed.entries) {
    // Counts entries, not folders: a folder can have several entries, and each is judged.
    if (claims.length > most) {
      isCut = true;
      break;
    }
    const { name: digest } = claim;
    if (!isDigest(digest) || claim.isSymbolicLink()) {
      report(`claims/${digest}`, 'not-a-claim');
      continue;
    }
    if (skip(digest)) continue;
    const inFolder = listFolder(folder, digest);
    empty.push(...inFolder.empty);
    claims.push(...inFolder.claims);
    unreadable.push(...inFolder.unreadable);
  }
  if (isCut) report('claims', 'too-many');
  // Checked last: a home that disappears during the read also has no claims.
  unreadable.push(...missedFolders(home));
  return { empty, claims, unreadable };
}

/** The claims of one piece of work: normally one or none. */
export const claimsOf = (home: string, digest: string): ClaimListing =>
  listFolder(claimsFolder(home), digest);

function listFolder(parent: string, digest: string): ClaimListing {
  const path = `claims/${digest}`;
  const folder = `${parent}/${digest}`;
  try {
    const { names, isCut } = namesIn(folder, lstatSync(folder));
    return {
      empty: names.length === 0 ? [digest] : [],
      claims: names.map((entry) => ({ digest, entry, name: parseName(entry) })),
      unreadable: isCut ? [{ path, why: 'too-many' }] : [],
    };
  } catch (error) {
    const why = codeOf(error);
    return { empty: [], claims: [], unreadable: why === 'ENOENT' ? [] : [{ path, why }] };
  }
}

/**
 * Uses `readdirSync`, which takes half the time, if the folder's size shows that it is small. Some file
 * systems report 0 for every folder, and a link leads to another folder: those are read entry by entry.
 */
function namesIn(folder: string, asked: Stats): { names: readonly string[]; isCut: boolean } {
  if (asked.isDirectory() && asked.size > 0 && asked.size <= SMALL_FOLDER) {
    const names = readdirSync(folder);
    return { names: names.slice(0, MAX_ENTRIES), isCut: names.length > MAX_ENTRIES };
  }
  const { entries, isCut } = someOf(folder, MAX_ENTRIES);
  return { names: entries.map(({ name }) => name), isCut };
}

interface Entries {
  readonly entries: readonly Dirent[];
  readonly isCut: boolean;
}

const NO_ENTRIES: Entries = { entries: [], isCut: false };

/** At most `most` entries of a folder of any size; an errno if it cannot be read. */
export function entriesOf(folder: string, most: number): Entries | string {
  try {
    // Most homes have no claims, and a look costs a tenth of an error that is thrown.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return 'ENOENT';
    return someOf(folder, most);
  } catch (error) {
    return codeOf(error);
  }
}

function someOf(folder: string, most: number): Entries {
  const dir = opendirSync(folder);
  try {
    // A folder that changes while it is read can return a name twice.
    const entries = new Map<string, Dirent>();
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (entries.size === most) return { entries: [...entries.values()], isCut: true };
      entries.set(entry.name, entry);
    }
    return { entries: [...entries.values()], isCut: false };
  } finally {
    dir.closeSync();
  }
}
