/**
 * Lifts the hold of one window run from one scope, and retries while it cannot be seen or lifted.
 * Placing and renewing it is `own-hold.ts`.
 */
import { type DiskPort, type Hold, lift, type Patience, retire } from '@fleet-estop/sentinel-core';
import { readScope, unreadableIn } from '../fleet/state.ts';
import type { Target } from '../fleet/targets.ts';
import type { HoldSearch } from './find.ts';
import type { EndResult } from './outcomes.ts';

/** Each try waits for other operations with a patience of its own. */
const MAX_TRIES = 8;
/** Milliseconds between two tries: another operation in that scope can finish meanwhile. */
const RETRY_MS = 250;

/** `gone`: there is no hold of this run, and this call lifted none. */
export async function liftOwnHold(
  disk: DiskPort,
  { scope, chain }: Target,
  find: () => HoldSearch,
  patience: Partial<Patience>,
): Promise<Extract<EndResult, { kind: 'lifted' | 'not-lifted' }> | 'gone'> {
  let why = 'unsettled';
  let mine: Hold | null = null;
  const lifted: Hold[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const search = find();
    mine = search.mine;
    if (mine !== null) {
      const result = lift(disk, scope.dir, { id: mine.id }, {}, patience);
      if (result.lifted) {
        lifted.push(...result.holds);
        // A tool that writes in place can bring an older hold of this run back, so look again.
        continue;
      }
      why = result.why;
    } else if (lifted.length > 0) {
      const after = chain.map((one) => readScope(disk, one));
      return { kind: 'lifted', holds: lifted, after };
    } else if (search.certain) {
      // Readers of the oldest form are held while the file exists, expired or not.
      if (!search.state.check.engaged && search.state.check.expired) {
        retire(disk, scope.dir, { certain: true });
      }
      return 'gone';
    } else {
      why = unreadableIn(search.state) ?? 'unsettled';
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return { kind: 'not-lifted', why, hold: mine };
}
