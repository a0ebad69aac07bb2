/**
 * The profile that a `/pause` is about: what stands in its chain, which sentinel is its own, and the
 * record of what was done to it.
 */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type Actor,
  appendJournal,
  type Chain,
  check,
  type DiskPort,
  type JournalEntry,
  listProfiles,
  profilesSharing,
  type Scope,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';

export interface PauseTarget {
  readonly disk: DiskPort;
  readonly chain: Chain;
  /** Whose hold a `/pause` here is. */
  readonly holder: string;
  /** Who asked. */
  readonly principal: string;
}

export interface ChainStates {
  /** The whole chain, nearest first. */
  readonly states: readonly ScopeState[];
  readonly engaged: boolean;
}

export function readChain({ disk, chain }: PauseTarget): ChainStates {
  const states = chain.scopes.map((scope) => ({ scope, check: check(disk, scope.dir) }));
  return { states, engaged: states.some((state) => state.check.engaged) };
}

export const nameOf = ({ chain }: PauseTarget): string => oneLine(chain.profile, 64);

/**
 * The profile's own scope; null: its sentinel is the fleet's, be it as the lane `default` or by a link
 * to the root. A chat of one profile must not hold all of them.
 */
export function ownScope({ chain }: PauseTarget): Scope | null {
  const [own] = chain.scopes;
  if (own?.kind !== 'profile') return null;
  const home = identityOf(own.dir);
  return home !== null && home === identityOf(chain.root) ? null : own;
}

/** Other profiles that have the same folder, by way of a link. */
export const sharing = ({ chain }: PauseTarget): readonly string[] =>
  profilesSharing(listProfiles(chain.root).profiles, chain.profile);

/** Whoever asked, for the record; the process is the gateway's. */
export const actorOf = ({ principal }: PauseTarget): Actor => ({
  user: oneLine(principal, 64),
  host: hostname(),
  pid: process.pid,
  via: 'chat',
});

/** null: recorded; else why not. What was done stands all the same. */
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
    // Whoever would write in a folder that is not there is refused then, and told why.
    return null;
  }
}
