/**
 * Takes, renames and drops claims. A piece of work is in hand while its folder `claims/<digest>/` has an
 * entry. A claim is taken by renaming a prepared folder with one entry to that path, which fails while
 * the folder there has an entry.
 * Which claims exist is `claims.ts`; whether their work runs is `judge.ts`.
 *
 * INVARIANT: an entry name contains its owner and is used once, and every change of an entry uses the full
 * name. So a late caller, which ends its own claim or clears another's, finds nothing and never removes a
 * successor's claim.
 */
import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failureOf, meansTaken } from '@fleet-estop/sentinel-core';
import { claimsOf } from './claims.ts';
import type { Judge } from './judge.ts';
import { type ClaimName, claimsFolder, nameOf } from './names.ts';
import type { OwnFolder } from './own-folder.ts';
import { reach } from './reach.ts';
import { removeOwner } from './remove-owner.ts';
import { type WorkText, workText } from './texts.ts';

/** In each failed round another process has made progress. */
const MAX_ROUNDS = 8;

export interface NewClaim {
  readonly digest: string;
  readonly name: ClaimName;
  readonly work: WorkText;
}

/**
 * Returns '' if the claim is ours; `stands` if another claim exists that is not certainly abandoned; else
 * an errno: no other claim was seen, but ours could not be written.
 */
export function takeClaim(
  home: string,
  own: OwnFolder,
  { digest, name, work }: NewClaim,
  judge: () => Judge,
): string {
  const staged = join(own.path, nameOf(name));
  const place = join(claimsFolder(home), digest);
  let code = failureOf(() => {
    own.makeFolder(staged);
    own.write(join(staged, nameOf(name)), workText(work));
  });
  for (let round = 0; code === '' && round < MAX_ROUNDS; round++) {
    code = failureOf(() => move(home, staged, place));
    if (code === '') return '';
    if (meansTaken(code)) code = clear(home, digest, name.owner, judge());
  }
  removeOwner(home, basename(own.path), nameOf(name));
  // Another process was faster in every round.
  if (code === '') return 'stands';
  return code === 'stands' || othersIn(home, digest, name.owner, judge()).stand ? 'stands' : code;
}

/** Removes abandoned claims. Returns '', or `stands` if another claim remains, or an errno. */
function clear(home: string, digest: string, own: string, judge: Judge): string {
  const { stand, gone } = othersIn(home, digest, own, judge);
  if (stand) return 'stands';
  for (const entry of gone) {
    const code = failureOf(() => reach(home, join(claimsFolder(home), digest, entry), unlinkSync));
    // ENOENT: another process removed it first.
    if (code !== '' && code !== 'ENOENT') return code;
  }
  return '';
}

/**
 * Splits the entries into those that are gone and whether others remain. An entry of our own owner is a
 * leftover: it stayed in a home that was unmounted when its work ended.
 */
function othersIn(home: string, digest: string, own: string, judge: Judge) {
  const place = join(claimsFolder(home), digest);
  const { claims, unreadable } = claimsOf(home, digest);
  const [gone, others] = [[] as string[], [] as string[]];
  for (const { entry, name } of claims) {
    const isGone = name?.owner === own || judge.fateOf(name) === 'abandoned';
    (isGone ? gone : others).push(entry);
  }
  // An entry that was removed just now may have been judged without its owner's record.
  const stand = others.some((entry) => isThere(join(place, entry)));
  return { stand: stand || (unreadable.length > 0 && isThere(place)), gone };
}

/** Removes an entry by its name. Returns '' for exactly one of concurrent callers, else an errno. */
export function dropClaim(home: string, digest: string, name: ClaimName): string {
  const place = join(claimsFolder(home), digest);
  const code = failureOf(() => reach(home, join(place, nameOf(name)), unlinkSync));
  // Fails if a successor has already taken the claim.
  if (code === '') failureOf(() => reach(home, place, rmdirSync));
  return code;
}

/** Renames an entry. Returns '' for exactly one of concurrent callers, else an errno. */
export function renameClaim(home: string, digest: string, from: ClaimName, to: ClaimName): string {
  const place = join(claimsFolder(home), digest);
  return failureOf(() => move(home, join(place, nameOf(from)), join(place, nameOf(to))));
}

const move = (home: string, from: string, to: string): void =>
  reach(home, from, (source) => reach(home, to, (target) => renameSync(source, target)));

const isThere = (path: string): boolean =>
  failureOf(() => {
    lstatSync(path);
  }) === '';

/** true if this exact entry certainly does not exist. */
export const isMissing = (home: string, digest: string, name: ClaimName): boolean =>
  failureOf(() => {
    lstatSync(join(claimsFolder(home), digest, nameOf(name)));
  }) === 'ENOENT';

/** true if this exact entry exists. */
export const standsAs = (home: string, digest: string, name: ClaimName): boolean =>
  isThere(join(claimsFolder(home), digest, nameOf(name)));
