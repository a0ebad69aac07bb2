/**
 * Reads the work in hand of a home, for the watcher, the command line and a successor.
 * It changes nothing; abandoned claims are removed by `settle.ts`.
 */

import { codeOf } from '@fleet-estop/sentinel-core';
import { type ClaimEntry, claimsOf, listClaims } from './claims.ts';
import type { Unreadable } from './folders.ts';
import { type Judge, judgeAt, type WorkFate } from './judge.ts';
import { claimsFolder } from './names.ts';
import { type Progress, progressOf } from './progress.ts';
import { NO_TEXT, parseWork, readText, type WorkText } from './texts.ts';

/** One piece of work. Its text fields are null if the claim's file could not be read. */
export interface WorkRecord extends WorkText, Progress {
  /** The run of a register that owns the claim; null if unknown. */
  readonly owner: string | null;
  /** `instance` of the gateway; null if unknown. */
  readonly instance: string | null;
  readonly host: string | null;
  /** The process that does the work: the gateway or a worker; null if unknown. */
  readonly pid: number | null;
  readonly fate: WorkFate;
}

/**
 * The result of reading a register. If `complete` is false, there may be more work than listed; never
 * treat it as "no work". For folders above the register, `path` is `..` (`.fleet`) or `../..` (the home),
 * and `why` may be `dangling-link`.
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
  /** Reads at most this many claims; if there are more, the result is incomplete (`too-many`). */
  readonly most?: number;
}

/** Reads at most 10,000 claims by default. Writes nothing and throws no errno. */
export function readRegister(
  home: string,
  { now = Date.now, ...limits }: ReadRegisterOptions = {},
): RegisterRead {
  const judge = judgeAt(home, now());
  const folder = claimsFolder(home);
  const { claims, unreadable } = listClaims(home, limits);
  const work: WorkRecord[] = [];
  const missed: Unreadable[] = [...unreadable];
  for (const claim of claims) {
    const record = recordOf(folder, claim, judge);
    if (record !== null) {
      work.push(record);
      continue;
    }
    // The claim has ended, or was renamed because another process does the work now.
    const again = claimsOf(home, claim.digest);
    missed.push(...again.unreadable);
    for (const moved of again.claims) {
      const renamed = recordOf(folder, moved, judge);
      if (renamed === null) missed.push({ path: `claims/${claim.digest}`, why: 'changing' });
      else work.push(renamed);
    }
  }
  return missed.length === 0
    ? { complete: true, work }
    : { complete: false, work, unreadable: missed };
}

/** The record of a claim; null if it no longer exists by this name. `folder` is the claims folder. */
export function recordOf(folder: string, claim: ClaimEntry, judge: Judge): WorkRecord | null {
  const { name } = claim;
  // Judge before reading: while a claim exists, its owner's record exists too.
  const fate = judge.fateOf(name);
  const found = textOf(folder, claim);
  if (found === null) return null;
  const { text, markedMs } = found;
  const record = name === null ? null : judge.recordOf(name.owner);
  return {
    ...text,
    ...progressOf({ ...text, markedMs, fate }, judge.nowMs),
    owner: name?.owner ?? null,
    instance: record?.instance ?? null,
    host: record?.place.host ?? null,
    pid: name?.pid ?? null,
    fate,
  };
}

interface FoundText {
  readonly text: WorkText;
  readonly markedMs: number | null;
}

function textOf(folder: string, claim: ClaimEntry): FoundText | null {
  try {
    const { text, writtenMs } = readText(`${folder}/${claim.digest}/${claim.entry}`);
    return { text: parseWork(text), markedMs: writtenMs };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : { text: NO_TEXT, markedMs: null };
  }
}
