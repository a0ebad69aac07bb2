/**
 * What a register makes of others' claims in its home: those of an owner that is certainly gone are
 * cleared away, or adopted where a worker of it lives on.
 * How a claim changes hands is `fence.ts`.
 */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, listClaims } from './claims.ts';
import { failureOf } from './errno.ts';
import { dropClaim, renameClaim } from './fence.ts';
import type { Judge } from './judge.ts';
import type { RegisterMemory } from './memory.ts';
import { type ClaimName, claimsFolder, isOwner, ownersFolder } from './names.ts';
import { reach } from './reach.ts';
import { recordOf, type WorkRecord } from './read-register.ts';
import { removeOwner } from './remove-owner.ts';

export interface AdoptedClaim {
  readonly digest: string;
  readonly name: ClaimName;
  readonly work: WorkRecord;
}

export interface Settlement {
  /** Ended with its process; told by exactly one register. */
  readonly cutOff: readonly WorkRecord[];
  readonly adopted: readonly AdoptedClaim[];
  /** What may run and whose owner does not answer for it, what cannot be read included. */
  readonly unproven: number;
}

/** Some hosts keep hundreds of lanes, but hardly more owners of one of them. */
const MAX_OWNERS = 1_000;
/** One that only slept makes its folder again when it begins something. */
const LITTER_MS = 3_600_000;

export interface OwnClaims {
  /** Kept by this register, and its own affair. */
  readonly ours: (digest: string) => boolean;
  /**
   * Made by this register, which keeps it no more: its work ended, or got another claim, while the home
   * was away. It lives in a process that lives, so that nobody else would ever clear it away.
   */
  readonly isLeft: (name: ClaimName) => boolean;
  /** Names a claim that is to be ours; null: nothing can be recorded in our name. */
  readonly adoptAs: (from: ClaimName, digest: string) => ClaimName | null;
}

export function settle(
  home: string,
  { ours, isLeft, adoptAs }: OwnClaims,
  judge: Judge,
  memory: RegisterMemory,
): Settlement {
  const cutOff: WorkRecord[] = [];
  const adopted: AdoptedClaim[] = [];
  let unproven = 0;

  // Before claims are listed: one that is gone by now begins nothing any more.
  const litter = litterIn(home, judge);
  const { empty, claims, unreadable } = listClaims(home, { skip: ours, memory });
  const folder = claimsFolder(home);
  for (const digest of empty) failureOf(() => reach(home, join(folder, digest), rmdirSync));
  for (const claim of claims) {
    const { digest, name } = claim;
    if (name !== null && isLeft(name)) {
      litter.delete(name.owner);
      const code = dropClaim(home, digest, name);
      if (code !== '' && code !== 'ENOENT') unproven += 1;
      continue;
    }
    // Of all that runs and is answered for, the name says enough: only what is left over is read.
    if (name !== null && judge.fateOf(name) === 'running' && !judge.isGone(name.owner)) {
      litter.delete(name.owner);
      continue;
    }
    const work = recordOf(folder, claim, judge);
    if (work === null) continue;
    if (name === null || work.fate === 'unproven') {
      unproven += 1;
    } else if (judge.isGone(name.owner)) {
      if (work.fate === 'abandoned') {
        if (dropClaim(home, digest, name) === '') cutOff.push(work);
        continue;
      }
      const to = adoptAs(name, digest);
      const code = to === null ? 'EROFS' : renameClaim(home, digest, name, to);
      if (to !== null && code === '') {
        adopted.push({ digest, name: to, work: { ...work, owner: to.owner } });
      }
      // Another one adopted it, or took it over.
      if (code === '' || code === 'ENOENT') continue;
      // It runs, and nobody answers for it.
      unproven += 1;
    }
    litter.delete(name?.owner ?? '');
  }
  // What is not seen may still be somebody's.
  if (unreadable.length === 0) {
    for (const owner of litter) {
      removeOwner(home, owner);
    }
  }
  return { cutOff, adopted, unproven: unproven + unreadable.length };
}

/** Owners that will not come back for what they left. */
function litterIn(home: string, judge: Judge): Set<string> {
  const found = entriesOf(ownersFolder(home), MAX_OWNERS);
  if (typeof found === 'string') return new Set();
  return new Set(
    found.entries.map(({ name }) => name).filter((name) => isOwner(name) && isLitter(name, judge)),
  );
}

function isLitter(owner: string, judge: Judge): boolean {
  if (judge.isGone(owner)) return true;
  const record = judge.recordOf(owner);
  const lives = record !== null && judge.fateOf({ owner, number: 0, ...record }) === 'running';
  return !lives && judge.silentMs(owner) > LITTER_MS;
}
