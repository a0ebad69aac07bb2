/**
 * The profile that a `/pause` acts on: its chain, its own sentinel, and its journal entries.
 * What is done to it is `act.ts`.
 */

import { statSync } from 'node:fs';
import {
  type Actor,
  actorOf as actorVia,
  appendJournal,
  type Chain,
  type DiskPort,
  type JournalEntry,
  listProfiles,
  lostFolder,
  profilesSharing,
  readChain as readScopes,
  type Scope,
  type ScopeState,
  unknownState,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';

export interface PauseTarget {
  readonly disk: DiskPort;
  readonly chain: Chain;
  /** Holder of the hold that `/pause` places. */
  readonly holder: string;
  /** Who sent the command. */
  readonly principal: string;
}

export interface ChainStates {
  /** The whole chain, nearest first. */
  readonly states: readonly ScopeState[];
  readonly engaged: boolean;
  /** Why nothing is known of the own scope: its folder or the fleet's is gone. null: they are there. */
  readonly lost: string | null;
}

export function readChain({ disk, chain }: PauseTarget): ChainStates {
  const read = readScopes(disk, chain.scopes);
  // INVARIANT 2: a home that was moved away took its holds along.
  const lost = lostFolder(chain.scopes)();
  const states =
    lost === null
      ? read
      : read.map((state, at) => (at > 0 ? state : unknownState(state.scope, lost)));
  return { states, engaged: states.some((state) => state.check.engaged), lost };
}

export const nameOf = ({ chain }: PauseTarget): string => oneLine(chain.profile, 64);

/**
 * The profile's own scope; null if its sentinel is the fleet's, because it is the profile `default` or a
 * link to the root. A chat of one profile must not hold all profiles.
 */
export function ownScope({ chain }: PauseTarget): Scope | null {
  const [own] = chain.scopes;
  if (own?.kind !== 'profile') return null;
  const home = identityOf(own.dir);
  return home !== null && home === identityOf(chain.root) ? null : own;
}

/** Other profiles whose link leads to the same folder. */
export const sharing = ({ chain }: PauseTarget): readonly string[] =>
  profilesSharing(listProfiles(chain.root).profiles, chain.profile);

/** The sender as actor of the hold; the process is the gateway's. */
export const actorOf = ({ principal }: PauseTarget): Actor =>
  actorVia('chat', oneLine(principal, 64));

/** Writes a journal entry. Returns null, or why it failed; the hold or lift itself is not affected. */
export function record(
  target: PauseTarget,
  entry: Omit<JournalEntry, 'profile' | 'actor'>,
): string | null {
  const { chain, disk } = target;
  const whole = { ...entry, profile: chain.profile, actor: actorOf(target) };
  const journaled = appendJournal(chain.root, whole, disk.now());
  return journaled.written ? null : journaled.why;
}

function identityOf(folder: string): string | null {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // A missing folder makes the later write fail with its reason.
    return null;
  }
}
