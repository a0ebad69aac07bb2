/**
 * Which claims stand on disk, by their names.
 * Whether their work runs is `judge.ts`; what they are about is `read-register.ts`.
 */
import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs';
import { codeOf } from './errno.ts';
import { missedFolders, type Unreadable } from './folders.ts';
import type { RegisterMemory } from './memory.ts';
import { type ClaimName, claimsFolder, isDigest, parseName } from './names.ts';

export interface ClaimEntry {
  readonly digest: string;
  readonly entry: string;
  /** null: a name that nobody understands. */
  readonly name: ClaimName | null;
}

export interface ClaimListing {
  /** Digests of work that has ended, and whose folder stayed: harmless, and nothing. */
  readonly empty: readonly string[];
  readonly claims: readonly ClaimEntry[];
  readonly unreadable: readonly Unreadable[];
}

/** Claims that are looked at; more is told as unreadable. */
const MAX_CLAIMS = 10_000;
/** A claim's folder has one entry. */
const MAX_ENTRIES = 16;
/**
 * Bytes that a folder says it is long. A claim's is some bytes or one block; one of a million entries
 * is longer on every file system that says a length at all.
 */
const SMALL_FOLDER = 16 * 1024;

export interface ListOptions {
  /** Claims that whoever asks knows already. */
  readonly skip?: (digest: string) => boolean;
  /** Whoever looks again and again lists only what has changed. */
  readonly memory?: RegisterMemory | undefined;
  readonly most?: number;
}

export function listClaims(
  home: string,
  { skip = () => false, memory, most = MAX_CLAIMS }: ListOptions = {},
): ClaimListing {
  const empty: string[] = [];
  const claims: ClaimEntry[] = [];
  const unreadable: Unreadable[] = [];
  const folder = claimsFolder(home);
  const report = (path: string, why: string) => unreadable.push({ path, why });
  memory?.look();

  const folders = entriesOf(folder, most);
  // Nobody has begun anything here; or there is no such folder any more, which is told below.
  const listed = folders === 'ENOENT' ? NO_ENTRIES : folders;
  if (typeof listed === 'string') {
    report('claims', listed);
    return { empty, claims, unreadable };
  }
  let isCut = listed.isCut;
  for (const claim of listed.entries) {
    // Each folder of theirs may have several entries, and every one of them is judged.
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
    const found = listFolder(folder, digest, memory);
    empty.push(...found.empty);
    claims.push(...found.claims);
    unreadable.push(...found.unreadable);
  }
  if (isCut) report('claims', 'too-many');
  // Looked at last: a home that goes while it is read has no claims either.
  unreadable.push(...missedFolders(home));
  return { empty, claims, unreadable };
}

/** Of one piece of work: one, or none. */
export const claimsOf = (home: string, digest: string): ClaimListing =>
  listFolder(claimsFolder(home), digest);

function listFolder(parent: string, digest: string, memory?: RegisterMemory): ClaimListing {
  const path = `claims/${digest}`;
  const folder = `${parent}/${digest}`;
  try {
    // Asked before it is listed: what changes it from now on changes this too.
    const asked = lstatSync(folder);
    const known = asked.isDirectory() ? memory?.recall(digest, asked) : undefined;
    if (known !== undefined) return known;
    const { names, isCut } = namesIn(folder, asked);
    const listed: ClaimListing = {
      empty: names.length === 0 ? [digest] : [],
      claims: names.map((entry) => ({ digest, entry, name: parseName(entry) })),
      unreadable: isCut ? [{ path, why: 'too-many' }] : [],
    };
    if (asked.isDirectory()) memory?.keep(digest, asked, listed);
    return listed;
  } catch (error) {
    const why = codeOf(error);
    return { empty: [], claims: [], unreadable: why === 'ENOENT' ? [] : [{ path, why }] };
  }
}

/**
 * Listed at once, which takes half the time, where the folder's own length says that this is soon
 * done. Some file systems say 0 of every folder; and a link leads to one that was not asked.
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

/** Of a folder that may have any number of them; an errno where it cannot be read. */
export function entriesOf(folder: string, most: number): Entries | string {
  try {
    return someOf(folder, most);
  } catch (error) {
    return codeOf(error);
  }
}

function someOf(folder: string, most: number): Entries {
  const dir = opendirSync(folder);
  try {
    // A listing that is changed while it is read may tell a name twice.
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
