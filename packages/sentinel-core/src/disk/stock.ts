/**
 * Takes stock of what a dead owner left in its tenure, so that none of it can change any more.
 * `settle.ts` decides what to do with it.
 */
import { failureOf, orNull, required } from '../files/errno.ts';
import {
  draftOfUndone,
  isClaim,
  isDraft,
  isPin,
  isUndone,
  join,
  mayHold,
  newOfPin,
  renamedClaim,
  undoneName,
} from './names.ts';
import type { DiskPort } from './port.ts';
import { discard, type Tenure, TenureLost } from './tenure-entries.ts';

/** Bounds the rounds. Each dead owner has at most one call that can still land. */
const STOCKS = 4;

/** The pins and claims in a tenure. */
export interface Stock {
  /**
   * Pins of commits. The file that a pin links to was displaced, unless it is not the one in the
   * pin's name.
   */
  readonly pins: readonly string[];
  readonly claims: readonly string[];
}

/**
 * Lists what lies in the tenure. Throws `TenureLost`, and the errno of a draft that may still be
 * committed.
 */
export function takeStock(disk: DiskPort, tenure: Tenure): Stock {
  for (let round = 1; ; round++) {
    const left = orNull(() => disk.readdir(tenure.dir));
    if (left === null) throw new TenureLost();
    const undone = undoDrafts(disk, tenure, left);
    const taken = takeClaims(disk, tenure, left);
    // A name that disappeared may have been changed by another settler's late call. Look again.
    if ((undone.missed || taken.missed) && round < STOCKS) continue;
    const pins: string[] = [];
    for (const name of left.filter(isPin)) {
      const draft = newOfPin(name);
      if (!undone.drafts.has(draft)) pins.push(name);
      else if (failsToGo(failureOf(() => disk.unlink(join(tenure.dir, name))))) {
        undone.drafts.delete(draft);
      }
    }
    for (const name of undone.drafts.values()) discard(disk, tenure, name);
    return { pins, claims: taken.claims };
  }
}

/**
 * Prevents the old owner's drafts from being committed.
 *
 * INVARIANT 1: this comes before anything else is looked at. From then on no late rename of the old
 * owner can commit. A draft that is already gone did commit, so the file behind its pin was
 * displaced. A draft that did not commit is renamed until its pin is removed; otherwise the next
 * settler, after our death, would take that pin for a commit's. A draft that cannot be renamed may
 * still be committed by a late call, so nothing here is certain and its errno is thrown.
 *
 * Returns the prevented drafts with their new names. `missed`: a draft disappeared in the meantime.
 */
function undoDrafts(disk: DiskPort, tenure: Tenure, left: readonly string[]) {
  const drafts = new Map<string, string>();
  let missed = false;
  for (const name of left) {
    if (mayHold(name)) continue;
    if (isUndone(name)) drafts.set(draftOfUndone(name), name);
    else if (isDraft(name)) {
      const renamed = undoneName(name);
      const code = renameWithin(disk, tenure, name, renamed);
      if (code === 'ENOENT') missed = true;
      else required(code);
      if (code === '') drafts.set(name, renamed);
    } else discard(disk, tenure, name);
  }
  return { drafts, missed };
}

/**
 * Renames each claim to a name of our own. INVARIANT 1: from then on a claim belongs to us alone.
 * Its maker may have given it back already, and its late unlink would remove what we are about to
 * merge. `missed`: a claim disappeared in the meantime.
 */
function takeClaims(disk: DiskPort, tenure: Tenure, left: readonly string[]) {
  const claims: string[] = [];
  let missed = false;
  for (const name of left.filter(isClaim)) {
    const own = renamedClaim(name, disk.token());
    const code = renameWithin(disk, tenure, name, own);
    if (code === 'ENOENT') missed = true;
    else claims.push(code === '' ? own : name);
  }
  return { claims, missed };
}

const renameWithin = (disk: DiskPort, { dir }: Tenure, from: string, to: string): string =>
  failureOf(() => disk.rename(join(dir, from), join(dir, to)));

const failsToGo = (code: string): boolean => code !== '' && code !== 'ENOENT';
