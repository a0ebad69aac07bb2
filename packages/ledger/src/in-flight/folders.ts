/**
 * Checks that the folders of a register are usable. If one is not, an empty list of claims does not mean
 * "no work": nothing could be recorded there.
 * The claims are `claims.ts`.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@fleet-estop/sentinel-core';
import { claimsFolder, ownersFolder, registerFolder } from './names.ts';

/** A part of the register that could not be read. It may contain work. */
export interface Unreadable {
  /** Relative to the register's folder. */
  readonly path: string;
  /** An errno, `not-a-claim`, `too-many`, or `changing` (it differed in each read). */
  readonly why: string;
}

/** The unusable folders. Paths are relative to the register: `..` is `.fleet`, `../..` the home. */
export function missedFolders(home: string): Unreadable[] {
  const ofHome = whyNot(() => statSync(home, QUIETLY)?.isDirectory());
  // If the home is missing, it may have moved with its work. If only the rest is, no work has begun yet.
  if (ofHome !== '') return [{ path: '../..', why: ofHome }];
  const above = missed('..', linkable(join(home, '.fleet')));
  if (above !== null) return above;
  return (
    missed('.', ownFolder(registerFolder(home))) ?? [
      ...(missed('owners', ownFolder(ownersFolder(home))) ?? []),
      ...(missed('claims', ownFolder(claimsFolder(home))) ?? []),
    ]
  );
}

const NOT_MADE = 'ENOENT';

/** null if the folder is usable; empty if it was not created yet. */
function missed(path: string, why: string): Unreadable[] | null {
  if (why === '') return null;
  return why === NOT_MADE ? [] : [{ path, why }];
}

/** `.fleet` may be a link to a folder; gateways follow it too. */
function linkable(path: string): string {
  const why = ownFolder(path);
  if (why !== 'ENOTDIR') return why;
  const through = whyNot(() => statSync(path, QUIETLY)?.isDirectory());
  return through === NOT_MADE ? 'dangling-link' : through;
}

/** Must be a real folder: gateways write nothing through a link here. */
const ownFolder = (path: string): string => whyNot(() => lstatSync(path, QUIETLY)?.isDirectory());

/** Nearly all of these folders are missing in most homes; an error that is thrown costs ten looks. */
const QUIETLY = { throwIfNoEntry: false } as const;

/** `isSo` answers undefined for what is missing. */
function whyNot(isSo: () => boolean | undefined): string {
  try {
    const answer = isSo();
    if (answer === undefined) return NOT_MADE;
    return answer ? '' : 'ENOTDIR';
  } catch (error) {
    return codeOf(error);
  }
}
