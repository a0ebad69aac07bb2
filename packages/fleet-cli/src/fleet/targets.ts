/**
 * The scopes that a verb was asked to change, and what is recorded of a change.
 * The shape of a verb is `cli/verb.ts`.
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

/** A scope that a verb was asked to change, and the chain that binds who is served there. */
export interface Target {
  /** null: the root, and with it the whole fleet. */
  readonly profile: string | null;
  readonly scope: Scope;
  readonly chain: readonly Scope[];
}

/** The root unless profiles were selected. */
export function targetsOf({ root, selection }: Session): Target[] {
  if (selection.profiles === null) return targetOf(root.root, null);
  return selection.profiles.flatMap(({ name }: Profile) => targetOf(root.root, name));
}

/** One, or where a profile has no scope of its own none. */
export function targetOf(root: string, profile: string | null): Target[] {
  const chain = profile === null ? rootScopes(root) : profileChain(root, profile).scopes;
  const [scope] = chain;
  return scope === undefined ? [] : [{ profile, scope, chain }];
}

/** Records what was done. A line for stderr where that failed: the operation stands all the same. */
export function recordInJournal(session: Session, entry: JournalEntry): string[] {
  if (session.dryRun) return [];
  const { root, operation, nowMs } = session;
  const recorded = operation === null ? entry : { ...entry, operation };
  const journaled = appendJournal(root.root, recorded, nowMs);
  if (journaled.written) return [];
  const lost = `warning: done, but not recorded in the journal: ${whyText(journaled.why)}`;
  return entry.event === 'arm' ? [`${lost}; \`resume --undo\` will not know it`] : [lost];
}

/** What a call that must not fail ended with, where it failed all the same. */
export type UnexpectedError = { readonly unexpectedError: string };

/** One scope's trouble must not keep the next scope from being attempted. */
export function attempt<T>(step: () => T): T | UnexpectedError {
  try {
    return step();
  } catch (error) {
    return { unexpectedError: error instanceof Error ? error.message : String(error) };
  }
}
