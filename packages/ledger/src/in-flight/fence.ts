/**
 * How a claim changes hands. A piece of work is in hand while its folder `claims/<digest>/` has an
 * entry. A claim is taken by renaming a prepared folder, with one entry in it, into that place: a
 * rename that fails while there is an entry.
 *
 * INVARIANT: an entry's name is its maker's and used once, and every change of an entry names it. So
 * whoever comes late, to end its own or to clear away another's, finds nothing, and never takes
 * away a successor's.
 */
import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimsOf } from './claims.ts';
import { failureOf } from './errno.ts';
import type { Judge } from './judge.ts';
import { type ClaimName, claimsFolder, nameOf } from './names.ts';
import type { OwnFolder } from './own-folder.ts';
import { reach } from './reach.ts';
import { removeOwner } from './remove-owner.ts';
import { type WorkText, workText } from './texts.ts';

/** Each round somebody else has made progress. */
const MAX_ROUNDS = 8;

export interface NewClaim {
  readonly digest: string;
  readonly name: ClaimName;
  readonly work: WorkText;
}

/**
 * '' when it is ours; `stands` where another's stands that is not certainly gone, whatever else is
 * wrong; else an errno: nobody is seen to have it, and it cannot be written either.
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
    if (isTaken(code)) code = clear(home, digest, name.owner, judge());
  }
  removeOwner(home, basename(own.path), nameOf(name));
  // In each round somebody else was quicker.
  if (code === '') return 'stands';
  return code === 'stands' || othersIn(home, digest, name.owner, judge()).stand ? 'stands' : code;
}

/** Takes away what is certainly abandoned. `stands`: there is more than that; or an errno. */
function clear(home: string, digest: string, own: string, judge: Judge): string {
  const { stand, gone } = othersIn(home, digest, own, judge);
  if (stand) return 'stands';
  for (const entry of gone) {
    const code = failureOf(() => reach(home, join(claimsFolder(home), digest, entry), unlinkSync));
    // Whoever else clears it away is as right.
    if (code !== '' && code !== 'ENOENT') return code;
  }
  return '';
}

/**
 * An entry of our own owner is one that we keep no more: whoever takes a claim has none there. It was
 * left in a home that was away when its work ended.
 */
function othersIn(home: string, digest: string, own: string, judge: Judge) {
  const place = join(claimsFolder(home), digest);
  const { claims, unreadable } = claimsOf(home, digest);
  const [gone, others] = [[] as string[], [] as string[]];
  for (const { entry, name } of claims) {
    const isGone = name?.owner === own || judge.fateOf(name) === 'abandoned';
    (isGone ? gone : others).push(entry);
  }
  // Of one that somebody cleared away just now, nothing may be left to judge it by.
  const stand = others.some((entry) => isThere(join(place, entry)));
  return { stand: stand || (unreadable.length > 0 && isThere(place)), gone };
}

/** Takes an entry away by its name: '' for exactly one of those who try, else an errno. */
export function dropClaim(home: string, digest: string, name: ClaimName): string {
  const place = join(claimsFolder(home), digest);
  const code = failureOf(() => reach(home, join(place, nameOf(name)), unlinkSync));
  // Fails where a successor has it already.
  if (code === '') failureOf(() => reach(home, place, rmdirSync));
  return code;
}

/** Gives an entry another name: '' for exactly one of those who try, else an errno. */
export function renameClaim(home: string, digest: string, from: ClaimName, to: ClaimName): string {
  const place = join(claimsFolder(home), digest);
  return failureOf(() => move(home, join(place, nameOf(from)), join(place, nameOf(to))));
}

const move = (home: string, from: string, to: string): void =>
  reach(home, from, (source) => reach(home, to, (target) => renameSync(source, target)));

const isTaken = (code: string): boolean => code === 'ENOTEMPTY' || code === 'EEXIST';

const isThere = (path: string): boolean =>
  failureOf(() => {
    lstatSync(path);
  }) === '';

/** Does this very entry stand? */
export const standsAs = (home: string, digest: string, name: ClaimName): boolean =>
  isThere(join(claimsFolder(home), digest, nameOf(name)));
