/**
 * Work in hand of one profile, from the register in its home; needs no watcher.
 * Its text is `work-text.ts`.
 */
import type { RegisterRead, WorkRecord } from '@fleet-estop/ledger';
import type { Json } from '../text/json.ts';
import type { ProfileState } from './state.ts';
import { byAge } from './work-text.ts';

export interface WorkInHand {
  readonly count: number;
  /** How many of `count` may or may not run. They count. */
  readonly unproven: number;
  /** Those without progress for longer than their own limit, oldest first. They count. */
  readonly wedged: readonly WorkRecord[];
  /** false: part of the register could not be read, so there may be more. */
  readonly complete: boolean;
  /** null: there is no readable work in hand. */
  readonly oldest: WorkRecord | null;
}

/** What runs or may run, oldest first. Work whose process is certainly gone is not in hand. */
export const inHandIn = ({ work }: RegisterRead): readonly WorkRecord[] =>
  work.filter(({ fate }) => fate !== 'abandoned').sort(byAge);

const NONE: WorkInHand = { count: 0, unproven: 0, wedged: [], complete: true, oldest: null };

/** The folder of a profile's nearest scope is the home that its gateways serve. */
export function workInHand(
  { states: [nearest] }: ProfileState,
  readRegister: (home: string) => RegisterRead,
): WorkInHand {
  if (nearest === undefined) return NONE;
  const read = readRegister(nearest.scope.dir);
  const inHand = inHandIn(read);
  return {
    count: inHand.length,
    unproven: inHand.filter(({ fate }) => fate === 'unproven').length,
    wedged: inHand.filter(({ wedged }) => wedged),
    complete: read.complete,
    oldest: inHand[0] ?? null,
  };
}

export function workJson({ count, unproven, wedged, complete, oldest }: WorkInHand): Json {
  const common = { count, unproven, wedged: wedged.length, complete };
  if (oldest === null) return { ...common, oldest: null };
  const { door, id, since, conversation, instance, host, pid, fate } = oldest;
  const progress = {
    progress_at: oldest.progressAt,
    stall_ms: oldest.stallMs,
    wedged: oldest.wedged,
  };
  return {
    ...common,
    oldest: { door, id, since, ...progress, conversation, instance, host, pid, fate },
  };
}
