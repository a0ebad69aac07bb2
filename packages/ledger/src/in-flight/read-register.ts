/**
 * What is in hand in a home, for whoever is not the gateway: the watcher, the command, a successor.
 * It changes nothing; what is abandoned is cleared away by `settle.ts`.
 */

import { type ClaimEntry, claimsOf, listClaims } from './claims.ts';
import { codeOf } from './errno.ts';
import type { Unreadable } from './folders.ts';
import { type Judge, judgeAt, type WorkFate } from './judge.ts';
import type { RegisterMemory } from './memory.ts';
import { claimsFolder } from './names.ts';
import { NO_TEXT, parseWork, readText, type WorkText } from './texts.ts';

/** Text is null where it could not be read: the work is there all the same. */
export interface WorkRecord extends WorkText {
  /** The register's run that answers for it; null: cannot be told. */
  readonly owner: string | null;
  /** The name that its gateway gave itself. */
  readonly instance: string | null;
  readonly host: string | null;
  /** The process that the work lives in: the gateway, or a worker of it. */
  readonly pid: number | null;
  readonly fate: WorkFate;
}

/**
 * Not complete: there may be more work than is told. It must not be taken for none. Of a folder above
 * the register's, `path` is `..` for `.fleet` and `../..` for the home, and `why` may be
 * `dangling-link`.
 */
export type RegisterRead =
  | { readonly complete: true; readonly work: readonly WorkRecord[] }
  | {
      readonly complete: false;
      readonly work: readonly WorkRecord[];
      readonly unreadable: readonly Unreadable[];
    };

export interface ReadRegisterOptions {
  readonly now?: () => number;
  /** Of this home: whoever reads it again and again reads only what has changed. */
  readonly memory?: RegisterMemory;
}

/** Writes nothing, and throws no errno; at most 10,000 claims are read. */
export function readRegister(
  home: string,
  { now = Date.now, memory }: ReadRegisterOptions = {},
): RegisterRead {
  const judge = judgeAt(home, now());
  const folder = claimsFolder(home);
  const { claims, unreadable } = listClaims(home, { memory });
  const work: WorkRecord[] = [];
  const missed: Unreadable[] = [...unreadable];
  for (const claim of claims) {
    const record = recordOf(folder, claim, judge, memory);
    if (record !== null) {
      work.push(record);
      continue;
    }
    // It has ended; or it lives in another process now, and has another name.
    const again = claimsOf(home, claim.digest);
    missed.push(...again.unreadable);
    for (const moved of again.claims) {
      const found = recordOf(folder, moved, judge, memory);
      if (found === null) missed.push({ path: `claims/${claim.digest}`, why: 'changing' });
      else work.push(found);
    }
  }
  return missed.length === 0
    ? { complete: true, work }
    : { complete: false, work, unreadable: missed };
}

/** null: it stands no more, at least not by this name. `claims`: the folder in which it stood. */
export function recordOf(
  folder: string,
  claim: ClaimEntry,
  judge: Judge,
  memory?: RegisterMemory,
): WorkRecord | null {
  const { name } = claim;
  // Judged first: as long as a claim stands, so does what its owner has left.
  const fate = judge.fateOf(name);
  // Read again where it does not run: that it stands is seen after it was judged.
  const known = fate === 'running' ? memory?.texts.get(claim) : undefined;
  const text = known ?? textOf(folder, claim, memory);
  if (text === null) return null;
  const record = name === null ? null : judge.recordOf(name.owner);
  const { door, id, principal, since } = text;
  // Field by field: to spread ten thousand takes a third of what looking again takes.
  return {
    door,
    id,
    principal,
    since,
    owner: name?.owner ?? null,
    instance: record?.instance ?? null,
    host: record?.place.host ?? null,
    pid: name?.pid ?? null,
    fate,
  };
}

function textOf(folder: string, claim: ClaimEntry, memory?: RegisterMemory): WorkText | null {
  try {
    const text = parseWork(readText(`${folder}/${claim.digest}/${claim.entry}`).text);
    memory?.texts.set(claim, text);
    return text;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : NO_TEXT;
  }
}
