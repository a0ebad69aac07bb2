/**
 * Notices that a fleet is moved, unmounted or replaced while an operation works in it. What the
 * operation then reads back is true of the folder that lies there now, which may bind nobody.
 * `ask.ts` does the same for admissions.
 */
import type { ScopeState } from '../decide/admit.ts';
import { identifyFolder } from '../files/folder-identity.ts';
import { whyNoRoot } from '../fleet/recognize.ts';
import { unreadableHold } from '../model/body.ts';
import type { Scope } from '../model/scope.ts';

/**
 * Remembers the folders of a chain, and answers a function that tells later whether they are still
 * there: null, or why the state of the chain is unknown. `ENOENT`: the profile's folder is gone.
 * `ESTALE`: the root is gone, is no fleet, or is another folder than it was.
 *
 * A new folder in the place of a profile's is that profile. A new folder in the place of the root
 * may be an empty one, and a hold that was placed there meanwhile makes it look like a fleet.
 * Throws nothing.
 */
export function lostFolder(scopes: readonly Scope[]): () => string | null {
  const roots = scopes.filter(({ kind }) => kind === 'root').map(({ dir }) => dir);
  const before = roots.map(rootAt);
  return () => {
    if (roots.map(rootAt).some((id, at) => id === null || id !== before[at])) return 'ESTALE';
    const isGone = scopes.some(
      ({ kind, dir }) => kind === 'profile' && identifyFolder(dir).state === 'absent',
    );
    return isGone ? 'ENOENT' : null;
  };
}

/** The state of a scope that cannot be looked at, which counts as held [2]. `why`: an errno. Pure. */
export const unknownState = (scope: Scope, why: string): ScopeState => ({
  scope,
  check: {
    engaged: true,
    holds: [unreadableHold('unknown', why)],
    topAllow: null,
    generation: null,
    unreadable: why,
  },
});

/** The identity of a root; null: there is no fleet. A root that may not be entered is one. */
function rootAt(dir: string): string | null {
  const found = identifyFolder(dir);
  if (found.state === 'absent') return null;
  if (found.state === 'unreadable') return found.why;
  return whyNoRoot(dir) === 'no-fleet' ? null : found.id;
}
