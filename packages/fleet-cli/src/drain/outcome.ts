/**
 * The outcome of a drain and its exit status. "Unknown" is never reported as drained.
 */
import { EXIT } from '../cli/exit-codes.ts';
import type { DrainReport } from './await-drained.ts';
import { isAnswered, isServedAtAll, wedgedIn } from './judge.ts';

export type DrainOutcome =
  | 'drained'
  /** Only excluded wedged work is in hand. */
  | 'drained-but-wedged'
  /** Everybody has acknowledged, and work is in hand or cannot be ruled out. */
  | 'work-left'
  /** A gateway that counts has not acknowledged, was not heard for a while, or may be missing. */
  | 'silent'
  /** No gateway is connected or expected. */
  | 'nobody'
  | 'no-watcher'
  /** The watcher never showed the state on disk. */
  | 'not-shown'
  | 'undone'
  | 'interrupted';

export function outcomeOf({ end, look, excludesWedged }: DrainReport): DrainOutcome {
  switch (end) {
    case 'drained':
      return excludesWedged && wedgedIn(look).length > 0 ? 'drained-but-wedged' : 'drained';
    case 'undone':
    case 'nobody':
      return end;
    case 'time-up':
      break;
    default:
      return 'interrupted';
  }
  const { snapshot, unreached } = look;
  if (snapshot === null || unreached !== null) return 'no-watcher';
  const { profiles, unshown } = snapshot;
  if (profiles.length > 0 && unshown.length === profiles.length) return 'not-shown';
  if (!isAnswered(look)) return 'silent';
  return isServedAtAll(look) ? 'work-left' : 'nobody';
}

export function exitOfDrain(report: DrainReport): number {
  switch (outcomeOf(report)) {
    case 'drained':
    case 'drained-but-wedged':
      return EXIT.done;
    case 'undone':
      return EXIT.notAsAsked;
    case 'silent':
    case 'nobody':
      return EXIT.partial;
    case 'work-left':
    case 'no-watcher':
    case 'not-shown':
      return EXIT.timedOut;
    case 'interrupted':
      return report.end === 'SIGTERM' ? 143 : 130;
  }
}

/** The signal that ended the waiting; null: none. */
export const signalOf = ({ end }: DrainReport): NodeJS.Signals | null =>
  end === 'SIGINT' || end === 'SIGTERM' ? end : null;
