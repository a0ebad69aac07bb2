/**
 * What a dead owner left in its tenure, once nothing of it can change under us any more.
 * What is done about it is `settle.ts`.
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

/** Each dead owner has at most one call that is still to land. */
const STOCKS = 4;

export interface Stock {
  /** Of commits: what they point at was displaced, unless it is not what their names say. */
  readonly pins: readonly string[];
  readonly claims: readonly string[];
}

/** What lies in the tenure. Throws `TenureLost`, and the errno of a draft that may still be committed. */
export function takeStock(disk: DiskPort, tenure: Tenure): Stock {
  for (let round = 1; ; round++) {
    const left = orNull(() => disk.readdir(tenure.dir));
    if (left === null) throw new TenureLost();
    const undone = undoDrafts(disk, tenure, left);
    const taken = takeClaims(disk, tenure, left);
    // A name that went under us may have another by now: another settler's late call gave it one.
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
 * INVARIANT 1: the bodies that the owner had prepared go first, before anything else is looked at: from
 * then on no late rename of its can commit. One that is gone already did commit, so what its pin points
 * at was displaced. One that did not is renamed until its pin is gone, or whoever settles after our
 * death would take that pin for a commit's.
 * One that cannot be renamed may still be committed by a late call: then nothing here is certain.
 * Answers the drafts that were prevented, and what they are called now. `missed`: one went under us.
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
 * INVARIANT 1: from here on a claim is ours alone. Its maker may have given it back already, and its
 * late unlink would take away what we are about to merge. `missed`: one went under us.
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
