/**
 * Removes claims that are certainly abandoned, for callers that are not gateways. Only a process in the
 * same process id namespace can see that an owner is gone: a gateway in a container counts the work of a
 * killed host process as unproven until something on the host runs this.
 * How a gateway handles others' claims is `settle.ts`.
 */
import { join } from 'node:path';
import { listClaims } from './claims.ts';
import { dropClaim } from './fence.ts';
import { judgeAt } from './judge.ts';
import { claimsFolder } from './names.ts';
import { recordOf, type WorkRecord } from './read-register.ts';

export interface Cleared {
  /** Claims that this call removed. Each is removed by exactly one caller; no gateway reports it later. */
  readonly cleared: readonly { readonly work: WorkRecord; readonly path: string }[];
  /** Claims that could not be removed, with the errno. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Removes the claims whose process and owner are both gone, as seen from here. Each is removed by its own
 * entry name, which is used once, so a successor's claim is never removed. Throws no errno.
 */
export function clearAbandoned(home: string, now: () => number = Date.now): Cleared {
  const judge = judgeAt(home, now());
  const folder = claimsFolder(home);
  const cleared: { work: WorkRecord; path: string }[] = [];
  const left: { path: string; why: string }[] = [];
  for (const claim of listClaims(home).claims) {
    const { digest, entry, name } = claim;
    // A living owner ends its own claims, even if the worker is gone.
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
