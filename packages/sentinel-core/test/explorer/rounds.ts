/**
 * Where an operation begins anew, and knows nothing of its rounds before but how many there were.
 *
 * `arm`, `lift` and `recover` go round a loop: robbed of their tenure, they seek another and look at
 * everything again. Dozens of pasts lead to the same second round, and exploring it once for each is
 * most of the work. That they carry nothing else from round to round is a claim about their code, so
 * it is tested: `merge-test.ts` continues merged pasts along explored paths and compares every call,
 * and where they differ, rounds are explored apart.
 */
import type { Actor } from './actor.ts';
import type { Result } from './posix-world.ts';

/** Failures after which every operation just looks again. */
const ORDINARY = new Set(['ENOENT', 'EEXIST', 'ENOTEMPTY']);

/**
 * Does an operation carry nothing into its next round? One that has taken the sentinel out does, and
 * one that was blunt seeks a tenure for something else; both are excluded before.
 */
export function forgetsAll(actor: Actor, log: readonly Result[]): boolean {
  if (actor.arm === undefined && actor.lift === undefined && !actor.sweeps) return false;
  // The errno of what last went wrong is carried, for the report.
  return log.every((result) => 'value' in result || ORDINARY.has(result.code));
}
