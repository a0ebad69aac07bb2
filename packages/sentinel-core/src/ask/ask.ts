/**
 * Asks whether new work of one profile is admitted now. It checks every scope of its chain, that
 * the folders stayed the same meanwhile, and that its root shows that it is a fleet.
 * It only reads the disk, and throws nothing. `may-start.ts` finds the profile of a home.
 */
import { type Applicant, admit, type Ruling, type ScopeState } from '../decide/admit.ts';
import type { DiskPort } from '../disk/port.ts';
import { identifyFolder } from '../files/folder-identity.ts';
import { recognizeRoot } from '../fleet/recognize.ts';
import type { Scope } from '../model/scope.ts';
import { readChain } from './read-chain.ts';

/** What `ask` needs to know. */
export interface Question {
  readonly disk: DiskPort;
  /** The chain that binds the profile, nearest first. */
  readonly scopes: readonly Scope[];
  readonly applicant: Applicant;
}

/** What `ask` answers: the decision and the states on which it rests. */
export interface Reply {
  readonly states: readonly ScopeState[];
  readonly admitted: boolean;
  /** Every hold that denies, nearest first. */
  readonly denials: readonly Ruling[];
  /**
   * A folder of the chain whose holds are unknown: it is missing, was replaced while it was read,
   * or is no longer a root. null: none. Decision: `2026-11-29-a-home-that-is-gone.md`.
   */
  readonly unknown: string | null;
}

/**
 * Attempts. A rename or a link replaces a folder in an instant, so the next attempt finds the new
 * one.
 */
const TRIES = 3;

/**
 * Checks the chain and decides for the applicant. Admits only if every folder of the chain is known
 * [2] and every hold admits [10]. If a folder changes meanwhile, asks again, up to 3 times. Throws
 * nothing.
 */
export function ask({ disk, scopes, applicant }: Question): Reply {
  for (let tries = 1; ; tries++) {
    const before = scopes.map(identityOf);
    const states = readChain(disk, scopes);
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

/**
 * The identity of a scope's folder; `none` for an absent folder that may be absent: most hosts are
 * in no cluster.
 */
function identityOf({ kind, dir }: Scope): string {
  const found = identifyFolder(dir);
  // Unmounting a fleet leaves an empty folder that nothing holds.
  if (kind === 'root' && found.state === 'present' && recognizeRoot(dir).is !== 'root')
    return 'gone';
  if (found.state === 'present') return found.id;
  // `check` reports a folder that may not be entered: it is held.
  return kind === 'cluster' ? 'none' : 'gone';
}

/** A profile whose folder is gone would read as free. */
const isUnknown = (before: string | undefined, after: string | undefined): boolean =>
  before !== after || after === 'gone';
