/**
 * Clears away what is certainly abandoned, for whoever can judge it without being a gateway. Only who
 * shares the process ids of an owner can see that it is gone: to a gateway in a container, work of a
 * process of the host that was killed is unproven, and is counted until somebody of the host does this.
 * What a gateway makes of others' claims is `settle.ts`.
 */
import { join } from 'node:path';
import { listClaims } from './claims.ts';
import { dropClaim } from './fence.ts';
import { judgeAt } from './judge.ts';
import { claimsFolder } from './names.ts';
import { recordOf, type WorkRecord } from './read-register.ts';

export interface Cleared {
  /** By exactly one of those who try. No gateway tells of these any more. */
  readonly cleared: readonly { readonly work: WorkRecord; readonly path: string }[];
  /** Still there, and why: an errno. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Takes away the claims whose process and whose owner are both gone, as seen from here. Each by its own
 * entry, which is used once: nothing of a successor goes with it. Throws no errno.
 */
export function clearAbandoned(home: string, now: () => number = Date.now): Cleared {
  const judge = judgeAt(home, now());
  const folder = claimsFolder(home);
  const cleared: { work: WorkRecord; path: string }[] = [];
  const left: { path: string; why: string }[] = [];
  for (const claim of listClaims(home).claims) {
    const { digest, entry, name } = claim;
    // One whose owner lives is that owner's to end, also where its worker is gone.
    if (name === null || judge.fateOf(name) !== 'abandoned' || !judge.isGone(name.owner)) continue;
    const work = recordOf(folder, claim, judge);
    if (work === null) continue;
    const path = join(folder, digest, entry);
    const why = dropClaim(home, digest, name);
    if (why === '') cleared.push({ work, path });
    else if (why !== 'ENOENT') left.push({ path, why });
  }
  return { cleared, left };
}
