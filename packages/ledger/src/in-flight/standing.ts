/**
 * Which claims stand on disk, by their names.
 * Whether their work runs is `judge.ts`; what they are about is `read-register.ts`.
 */
import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './errno.ts';
import { type ClaimName, claimsFolder, isDigest, parseName } from './names.ts';

export interface Standing {
  readonly digest: string;
  readonly entry: string;
  /** null: a name that nobody understands. */
  readonly name: ClaimName | null;
}

/** Something of the register that could not be read; there may be work in it. */
export interface Unreadable {
  /** Within the register's folder. */
  readonly path: string;
  /** An errno, `not-a-claim`, `too-many`, or `changing`: it was never the same in two looks. */
  readonly why: string;
}

export interface AllStanding {
  /** Digests of work that has ended, and whose folder stayed: harmless, and nothing. */
  readonly empty: readonly string[];
  readonly standing: readonly Standing[];
  readonly unreadable: readonly Unreadable[];
}

/** Claims that are looked at; more is told as unreadable. */
const MAX_CLAIMS = 10_000;
/** A claim's folder has one entry. */
const MAX_ENTRIES = 16;

/** `skip`: claims that whoever asks knows already. */
export function allStanding(
  home: string,
  skip: (digest: string) => boolean = () => false,
  most = MAX_CLAIMS,
): AllStanding {
  const empty: string[] = [];
  const standing: Standing[] = [];
  const unreadable: Unreadable[] = [];
  const folder = claimsFolder(home);
  const report = (path: string, why: string) => unreadable.push({ path, why });

  const claims = entriesOf(folder, most);
  // Nobody has begun anything here.
  if (claims === 'ENOENT') return { empty, standing, unreadable };
  if (typeof claims === 'string') {
    report('claims', claims);
    return { empty, standing, unreadable };
  }
  if (claims.isCut) report('claims', 'too-many');
  for (const claim of claims.entries) {
    const { name: digest } = claim;
    if (!isDigest(digest) || claim.isSymbolicLink()) {
      report(`claims/${digest}`, 'not-a-claim');
      continue;
    }
    if (skip(digest)) continue;
    const found = standingIn(home, digest);
    empty.push(...found.empty);
    standing.push(...found.standing);
    unreadable.push(...found.unreadable);
  }
  return { empty, standing, unreadable };
}

/** Of one piece of work: one, or none. */
export function standingIn(home: string, digest: string): AllStanding {
  const path = `claims/${digest}`;
  const found = entriesOf(join(claimsFolder(home), digest), MAX_ENTRIES);
  if (found === 'ENOENT') return { empty: [], standing: [], unreadable: [] };
  if (typeof found === 'string') {
    return { empty: [], standing: [], unreadable: [{ path, why: found }] };
  }
  return {
    empty: found.entries.length === 0 ? [digest] : [],
    standing: found.entries.map(({ name }) => ({ digest, entry: name, name: parseName(name) })),
    unreadable: found.isCut ? [{ path, why: 'too-many' }] : [],
  };
}

interface Entries {
  readonly entries: readonly Dirent[];
  readonly isCut: boolean;
}

/** Of a folder that may have any number of them; an errno where it cannot be read. */
export function entriesOf(folder: string, most: number): Entries | string {
  try {
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
  } catch (error) {
    return codeOf(error);
  }
}
