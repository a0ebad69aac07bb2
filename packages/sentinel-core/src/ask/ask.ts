/**
 * Asks whether new work of one lane is admitted now: what stands in its chain, that its folders stayed
 * where they are meanwhile, and that its root shows that it is one.
 * It reads the disk and nothing else, and throws nothing. Which lane a home is, is `may-start.ts`.
 */
import { type Applicant, admit, type Ruling, type ScopeState } from '../decide/admit.ts';
import { check } from '../disk/check.ts';
import type { DiskPort } from '../disk/port.ts';
import { identifyFolder } from '../files/folder-identity.ts';
import { recognizeRoot } from '../fleet/recognize.ts';
import type { Scope } from '../model/scope.ts';

export interface Question {
  readonly disk: DiskPort;
  /** The chain that binds the lane, nearest first. */
  readonly scopes: readonly Scope[];
  readonly applicant: Applicant;
}

export interface Reply {
  readonly states: readonly ScopeState[];
  readonly admitted: boolean;
  /** Every hold that refuses, nearest first. */
  readonly denials: readonly Ruling[];
  /**
   * A folder that is not there, did not stay the same while it was read, or is no root any more: what
   * holds in it is not known.
   */
  readonly unknown: string | null;
}

/** Folders are replaced in an instant, by a rename or a link. */
const TRIES = 3;

export function ask({ disk, scopes, applicant }: Question): Reply {
  for (let tries = 1; ; tries++) {
    const before = scopes.map(identityOf);
    const states = scopes.map((scope) => ({ scope, check: check(disk, scope.dir) }));
    const after = scopes.map(identityOf);
    const at = scopes.findIndex((_, index) => isUnknown(before[index], after[index]));
    if (at !== -1 && tries < TRIES) continue;
    const decision = admit(states, applicant);
    return {
      states,
      admitted: decision.admitted && at === -1,
      denials: decision.admitted ? [] : decision.denials,
      unknown: scopes[at]?.dir ?? null,
    };
  }
}

/** `none` where a folder may well be absent: most hosts are in no cluster. */
function identityOf({ kind, dir }: Scope): string {
  const found = identifyFolder(dir);
  // Where a fleet was unmounted, an empty folder is left that nothing holds.
  if (kind === 'root' && found.state === 'present' && recognizeRoot(dir).is !== 'root')
    return 'gone';
  if (found.state === 'present') return found.id;
  // One that may not be entered is for `check` to report: it is held.
  return kind === 'cluster' ? 'none' : 'gone';
}

/** A lane whose folder is gone would read as one that nothing holds. */
const isUnknown = (before: string | undefined, after: string | undefined): boolean =>
  before !== after || after === 'gone';
