/**
 * Ends holds on purpose: those of one holder, one by id, or everyone's in a scope.
 * `retire.ts` removes a sentinel that has expired.
 */

import { codeOf, couldNotLook, failureOf, orNull } from '../files/errno.ts';
import { DEFAULT_HOLDER, type Hold } from '../model/hold.ts';
import { giveBack } from './give-back.ts';
import { inspect, type Sentinel } from './inspect.ts';
import { join, liftName, SENTINEL, standsAside, TENURE } from './names.ts';
import type { DiskPort } from './port.ts';
import { type LiftResult, type LiftSelection, PATIENCE, type Patience } from './results.ts';
import { rewrite } from './rewrite.ts';
import { withTenure } from './tenure.ts';
import { discard, type Tenure, TenureLost } from './tenure-entries.ts';

/** Options of `lift`. */
export interface LiftOptions {
  /** Lifts only if this is the generation on disk, else answers `superseded` [6]. */
  readonly ifGeneration?: string;
}

/** Number of looks under one tenure while others keep changing the sentinel in place. */
const LOOKS = 4;

/**
 * Lifts the selected holds of one scope. If other holds remain, the body is rewritten without the
 * selected ones. If none remains, the sentinel is renamed into the tenure under a name that carries
 * what was seen, so that a successor is never taken [1] and a crash rolls forward [4].
 *
 * Of two lifts with the same fence exactly one wins [6]. `lifted: true` is returned only if that
 * was seen on disk [5]. Holds of the scope alone are lifted, never those of another scope. Throws
 * no errno.
 */
export function lift(
  disk: DiskPort,
  scope: string,
  selection: LiftSelection,
  { ifGeneration }: LiftOptions = {},
  patience: Partial<Patience> = {},
): LiftResult {
  const sentinel = join(scope, SENTINEL);
  /** Holds that our removal took out of the sentinel, until we know what became of it. */
  let moved: readonly Hold[] | null = null;
  let ours: readonly Hold[] = [];

  const choose = (seen: Sentinel): Choice => {
    if (seen.state === 'absent') return { stop: refused('absent', seen) };
    const everyone = 'everyone' in selection;
    // INVARIANT 1: a sentinel that cannot be read may contain holds that nobody has seen. Only a
    // lift of everyone's holds may remove it.
    if (couldNotLook(seen.unreadable) && (!everyone || ifGeneration !== undefined)) {
      return { stop: refused(seen.unreadable, seen) };
    }
    if (ifGeneration !== undefined && seen.generation !== ifGeneration) {
      return { stop: refused('superseded', seen) };
    }
    ours = seen.holds.filter((hold) => selects(selection, hold));
    if (ours.length === 0 && !(everyone && seen.state === 'expired')) {
      return { stop: refused(seen.state === 'expired' ? 'expired' : 'not-held', seen) };
    }
    const keep = seen.kept.filter((hold) => !selects(selection, hold));
    return keep.length > 0 ? { keep } : { stop: { remove: seen } };
  };

  const operation = (tenure: Tenure): LiftResult | null => {
    for (let look = 0; look < LOOKS; look++) {
      // Look UNDER the tenure: what was read before it may be stale.
      const seen = inspect(disk, sentinel, disk.now());
      if (moved !== null) {
        // The tenure was taken over half-way. The new owner completed our removal or gave the
        // sentinel back.
        if (couldNotLook(seen.unreadable)) return refused(seen.unreadable, seen);
        if (!sharesHold(moved, seen.holds)) return assisted(moved, seen.holds);
        moved = null;
      }
      const choice = choose(seen);
      if ('keep' in choice) {
        const result = rewrite(disk, tenure, choose, { serial: look * 10, first: seen });
        if (result.kind === 'committed') {
          // INVARIANT 5: an in-place writer put one of the lifted holds back during the commit.
          // Look again.
          if (sharesHold(ours, result.holds)) continue;
          return { lifted: true, holds: ours, remaining: result.holds };
        }
        if (result.kind === 'failed') {
          if (result.code === 'contested') continue;
          return refused(result.code, seen);
        }
        if ('remove' in result.stop) continue;
        return result.stop;
      }
      if (!('remove' in choice.stop)) return choice.stop;

      const claim = liftName(tenure.token, choice.stop.remove);
      // COMMIT, if the file that was moved is the one that was seen.
      const code = failureOf(() => disk.rename(sentinel, join(tenure.dir, claim)));
      if (code === 'ENOENT') {
        if (orNull(() => disk.lstat(tenure.dir)) !== null) return refused('absent');
        throw new TenureLost();
      }
      if (code !== '') return refused(code, seen);
      moved = ours;
      const taken = inspect(disk, join(tenure.dir, claim), disk.now());
      if (taken.state === 'absent') throw new TenureLost();
      if (standsAside(claim, taken, [claim])) {
        moved = null; // it is not the file that was seen
        giveBack(disk, tenure, claim);
        continue;
      }
      discard(disk, tenure, claim);
      disk.fsyncDir(scope);
      const { setAside } = tenure;
      const lifted = { lifted: true as const, holds: ours, remaining: [] };
      return setAside.length === 0 ? lifted : { ...lifted, setAside };
    }
    return null;
  };

  /**
   * Answers without a tenure. Success is claimed only if our removal took the sentinel out and no
   * tenure exists whose owner may have looked before that.
   */
  const without = (why: string): LiftResult => {
    if (moved === null) return refused(why);
    if (mayStand(disk, join(scope, TENURE))) return refused(why);
    const seen = inspect(disk, sentinel, disk.now());
    if (couldNotLook(seen.unreadable)) return refused(why, seen);
    return sharesHold(moved, seen.holds) ? refused(why, seen) : assisted(moved, seen.holds);
  };

  const whole = { ...PATIENCE, ...patience };
  return withTenure(disk, scope, whole, operation, without) ?? without('busy');
}

type Choice =
  | { readonly keep: readonly Hold[] }
  | { readonly stop: LiftResult | { readonly remove: Sentinel } };

/** Whether a lift with this selection would lift this hold. */
export function selects(selection: LiftSelection, hold: Hold): boolean {
  if ('everyone' in selection) return true;
  if ('id' in selection) return hold.id === selection.id;
  if (hold.holder !== null) return hold.holder === selection.holder;
  // A hold of an older tool or of a `touch` has no holder. The default holder `operator` is the
  // person in charge, who may lift it.
  return selection.anonymous === true || selection.holder === DEFAULT_HOLDER;
}

/** Whether something is at `path`. true also if that cannot be looked at. */
function mayStand(disk: DiskPort, path: string): boolean {
  try {
    return disk.lstat(path) !== null;
  } catch (error) {
    codeOf(error);
    return true;
  }
}

const refused = (why: string, seen?: Sentinel): LiftResult => ({
  lifted: false,
  why,
  remaining: seen?.holds ?? [],
});

const assisted = (holds: readonly Hold[], remaining: readonly Hold[]): LiftResult => ({
  lifted: true,
  holds,
  remaining,
  assisted: true,
});

const sharesHold = (some: readonly Hold[], others: readonly Hold[]): boolean =>
  some.some((hold) => others.some((other) => other.id === hold.id));
