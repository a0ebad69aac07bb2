/**
 * Whether the folders of a register are what its gateways make and use. Where one is not, no claims in
 * it is not no work: nothing could be recorded there.
 * Which claims stand is `claims.ts`.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './errno.ts';
import { claimsFolder, ownersFolder, registerFolder } from './names.ts';

/** Something of the register that could not be read; there may be work in it. */
export interface Unreadable {
  /** Within the register's folder. */
  readonly path: string;
  /** An errno, `not-a-claim`, `too-many`, or `changing`: it was never the same in two looks. */
  readonly why: string;
}

/** Paths are seen from the register's folder: `..` is `.fleet`, and `../..` the home. */
export function missedFolders(home: string): Unreadable[] {
  const ofHome = whyNot(() => statSync(home).isDirectory());
  // Without its home a register may be elsewhere by now; without the rest, nothing was begun yet.
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

/** null: it is there, and there may be something in it. */
function missed(path: string, why: string): Unreadable[] | null {
  if (why === '') return null;
  return why === NOT_MADE ? [] : [{ path, why }];
}

/** May be a link to a folder, as gateways use it too. */
function linkable(path: string): string {
  const why = whyNot(() => statSync(path).isDirectory());
  if (why !== NOT_MADE) return why;
  return whyNot(() => lstatSync(path).isSymbolicLink()) === '' ? 'dangling-link' : why;
}

/** A link is none: gateways write nothing through it. */
const ownFolder = (path: string): string => whyNot(() => lstatSync(path).isDirectory());

function whyNot(isSo: () => boolean): string {
  try {
    return isSo() ? '' : 'ENOTDIR';
  } catch (error) {
    return codeOf(error);
  }
}
