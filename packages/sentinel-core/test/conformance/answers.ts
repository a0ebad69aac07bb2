/**
 * Puts a scenario's questions to our code, and gives our answers in the recorded form.
 * Whether they agree with what was recorded is `scenarios.test.ts`.
 *
 * How the two forms correspond:
 *
 *   engaged                  one scope of the chain is held
 *   state                    the nearest held scope that can be read, and its first hold; `null`
 *                            when free, and four times nothing when none can be read
 *   reason, engaged_at, …    as text: what is no text in the body is shown as JSON
 *   allow                    a list without a name in it is not shown, except that our `profiles`
 *                            stays: present and empty it narrows to nobody
 *   allowed                  held, and admitted all the same
 *   present_after_engaged    what stands when a process has asked the scopes, nearest first and up
 *                            to the first that is held, and retired the expired ones on its way
 *   disengage                everyone's holds are lifted in every scope; true: some sentinel went
 */
import { admit, type ScopeState } from '../../src/decide/admit.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { retire } from '../../src/disk/retire.ts';
import { chainOf } from '../../src/fleet/chain.ts';
import type { Pair } from './recorded.ts';

export interface State {
  readonly reason: string | null;
  readonly engaged_at: string | null;
  readonly expires_at: string | null;
  readonly allow: { readonly user_ids?: readonly string[]; readonly profiles?: readonly string[] };
}

/** Two fleets built alike: lifting needs one where nobody has retired anything. */
export interface Questions {
  readonly askedHome: string;
  readonly liftedHome: string;
  readonly pairs: readonly Pair[];
}

export interface Answers {
  readonly engaged: boolean;
  readonly state: State | null;
  /** In the order of the pairs. */
  readonly allowed: readonly boolean[];
  readonly disengage: boolean;
}

const disk = nodeDisk();

function refuse(): never {
  throw new Error('asking must not change anything');
}

/** Fails any check that would write, which is no errno and so is never taken for an answer. */
const readOnly: DiskPort = {
  ...disk,
  open: (path, mode) => (mode === 'r' ? disk.open(path, mode) : refuse()),
  mkdir: refuse,
  rmdir: refuse,
  unlink: refuse,
  link: refuse,
  rename: refuse,
  write: refuse,
  truncate: refuse,
};

export function answer({ askedHome, liftedHome, pairs }: Questions): Answers {
  const states = chainOf(askedHome).scopes.map((scope) => ({
    scope,
    check: check(readOnly, scope.dir),
  }));
  const engaged = states.some((state) => state.check.engaged);
  const allowed = pairs.map(
    ({ user_id, profile }) => engaged && admit(states, { principal: user_id, profile }).admitted,
  );
  retireOnTheWay(askedHome);
  return { engaged, state: stateOf(states), allowed, disengage: liftEverything(liftedHome) };
}

function retireOnTheWay(home: string): void {
  for (const { dir } of chainOf(home).scopes) {
    const found = check(disk, dir);
    if (found.engaged) return;
    if (found.expired) retire(disk, dir);
  }
}

function liftEverything(home: string): boolean {
  const results = chainOf(home).scopes.map(({ dir }) => lift(disk, dir, { everyone: true }));
  return results.some(({ lifted }) => lifted);
}

function stateOf(states: readonly ScopeState[]): State | null {
  const held = states.map((state) => state.check).filter((found) => found.engaged);
  if (held.length === 0) return null;
  const hold = held.find((found) => found.unreadable === undefined)?.holds[0];
  const { userIds = [], profiles } = hold?.allow ?? {};
  return {
    reason: hold?.reason ?? null,
    engaged_at: hold?.engagedAt ?? null,
    expires_at: hold?.expiresAt ?? null,
    allow: {
      ...(userIds.length === 0 ? {} : { user_ids: userIds }),
      ...(profiles === undefined ? {} : { profiles }),
    },
  };
}
