/**
 * The outcome of a wait and its exit status. "Unknown" is never reported as "not yet".
 */
import { EXIT } from '../cli/exit-codes.ts';
import type { WaitReport } from './await-acknowledged.ts';

export type WaitOutcome =
  | 'acknowledged'
  /** An expected gateway has not acknowledged, or may be missing from the list. */
  | 'partial'
  /** No gateway is connected or expected. */
  | 'nobody'
  | 'no-watcher'
  /** The watcher never showed the awaited state. */
  | 'not-shown'
  | 'undone'
  | 'interrupted';

export function outcomeOf({ end, snapshot }: WaitReport): WaitOutcome {
  switch (end) {
    case 'acknowledged':
    case 'undone':
      return end;
    case 'deserted':
      return 'nobody';
    case 'time-up':
      break;
    default:
      return 'interrupted';
  }
  if (snapshot === null) return 'no-watcher';
  const { profiles, unshown, serving, absent, departed } = snapshot;
  if (profiles.length > 0 && unshown.length === profiles.length) return 'not-shown';
  const isNobody = serving.length === 0 && absent.length === 0 && departed.length === 0;
  return isNobody ? 'nobody' : 'partial';
}

export function exitOfWait(report: WaitReport): number {
  switch (outcomeOf(report)) {
    case 'acknowledged':
      return EXIT.done;
    case 'undone':
      return EXIT.notAsAsked;
    case 'partial':
    case 'nobody':
      return EXIT.partial;
    case 'no-watcher':
    case 'not-shown':
      return EXIT.timedOut;
    case 'interrupted':
      // As in shells: 128 plus the number of the signal.
      return report.end === 'SIGTERM' ? 143 : 130;
  }
}

/** The signal that ended the wait; null: none. */
export function signalOf({ end }: WaitReport): NodeJS.Signals | null {
  return end === 'SIGINT' || end === 'SIGTERM' ? end : null;
}
