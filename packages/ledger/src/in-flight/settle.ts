/**
 * Settles the claims of owners that are certainly gone: removes them, or adopts them if a worker still
 * runs.
 * Renaming and dropping claims is `fence.ts`.
 */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf } from '@fleet-estop/sentinel-core';
import { entriesOf, listClaims } from './claims.ts';
import { dropClaim, renameClaim } from './fence.ts';
import type { Judge } from './judge.ts';
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
  /** Work that ended with its process; reported by exactly one register. */
  readonly cutOff: readonly WorkRecord[];
  readonly adopted: readonly AdoptedClaim[];
  /** Number of claims that may run without a living owner, unreadable ones included. */
  readonly unproven: number;
}

/** Owner folders to read. One profile rarely has more. */
const MAX_OWNERS = 1_000;
/** Milliseconds after which an invisible owner's folder is removed. A live owner creates it again. */
const LITTER_MS = 3_600_000;

export interface OwnClaims {
  /** true for claims that this register keeps. */
  readonly ours: (digest: string) => boolean;
  /**
   * true for a leftover claim of this register: its work ended, or got another claim, while the home was
   * unmounted. Its process lives, so nobody else would ever remove it.
   */
  readonly isLeft: (name: ClaimName) => boolean;
  /** The new name of an adopted claim; null if this register cannot record anything now. */
  readonly adoptAs: (from: ClaimName, digest: string) => ClaimName | null;
}

export function settle(
  home: string,
  { ours, isLeft, adoptAs }: OwnClaims,
  judge: Judge,
): Settlement {
  const cutOff: WorkRecord[] = [];
  const adopted: AdoptedClaim[] = [];
  let unproven = 0;

  // List owners before claims: an owner that is gone now takes no claim afterwards.
  const litter = litterIn(home, judge);
  const { empty, claims, unreadable } = listClaims(home, { skip: ours });
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
    // For running work with a living owner the name is enough; its text is not read.
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
      // ENOENT: another register adopted or removed it.
      if (code === '' || code === 'ENOENT') continue;
      // It runs without a living owner.
      unproven += 1;
    }
    litter.delete(name?.owner ?? '');
  }
  // An unreadable claim may belong to any of these owners.
  if (unreadable.length === 0) {
    for (const owner of litter) {
      removeOwner(home, owner);
    }
  }
  return { cutOff, adopted, unproven: unproven + unreadable.length };
}

/** Owners whose folders can be removed. */
function litterIn(home: string, judge: Judge): Set<string> {
  const owners = entriesOf(ownersFolder(home), MAX_OWNERS);
  if (typeof owners === 'string') return new Set();
  return new Set(
    owners.entries.map(({ name }) => name).filter((name) => isOwner(name) && isLitter(name, judge)),
  );
}

function isLitter(owner: string, judge: Judge): boolean {
  if (judge.isGone(owner)) return true;
  const record = judge.recordOf(owner);
  const lives = record !== null && judge.fateOf({ owner, number: 0, ...record }) === 'running';
  return !lives && judge.silentMs(owner) > LITTER_MS;
}
