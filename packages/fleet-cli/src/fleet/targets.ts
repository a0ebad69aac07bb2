/**
 * The scopes that a verb changes, the journal record of a change, and errors of one scope.
 * The interface of a verb is `cli/verb.ts`.
 */
import {
  appendJournal,
  type JournalEntry,
  type Profile,
  profileChain,
  rootScopes,
  type Scope,
} from '@fleet-estop/sentinel-core';
import { whyText } from '../text/why.ts';
import type { Session } from './session.ts';

/** A scope that a verb changes, and the chain that binds its profile. */
export interface Target {
  /** null: the root, and so the whole fleet. */
  readonly profile: string | null;
  readonly scope: Scope;
  readonly chain: readonly Scope[];
}

/** The root unless profiles were selected. */
export function targetsOf({ root, selection }: Session): Target[] {
  if (selection.profiles === null) return targetOf(root.root, null);
  return selection.profiles.flatMap(({ name }: Profile) => targetOf(root.root, name));
}

/** One target; none for a profile without a scope of its own. */
export function targetOf(root: string, profile: string | null): Target[] {
  const chain = profile === null ? rootScopes(root) : profileChain(root, profile).scopes;
  const [scope] = chain;
  return scope === undefined ? [] : [{ profile, scope, chain }];
}

/** Writes a journal record. Returns a warning for stderr if that failed; the operation itself is done. */
export function recordInJournal(session: Session, entry: JournalEntry): string[] {
  if (session.dryRun) return [];
  const { root, operation, nowMs } = session;
  const recorded = operation === null ? entry : { ...entry, operation };
  const journaled = appendJournal(root.root, recorded, nowMs);
  if (journaled.written) return [];
  const lost = `warning: done, but not recorded in the journal: ${whyText(journaled.why)}`;
  return entry.event === 'arm' ? [`${lost}; \`resume --undo\` will not find it`] : [lost];
}

/** The message of an error that the call should not have thrown. */
export type UnexpectedError = { readonly unexpectedError: string };

/** Catches errors, so that a failure in one scope does not stop the work in the next. */
export function attempt<T>(step: () => T): T | UnexpectedError {
  try {
    return step();
  } catch (error) {
    return { unexpectedError: error instanceof Error ? error.message : String(error) };
  }
}
