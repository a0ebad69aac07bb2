/**
 * Detects holds that another tool placed: they appeared, and no journal line explains them.
 * Their `hold.armed` events were already sent at once. Holds that are gone are `departures.ts`.
 */
import type { Arrival } from './changes.ts';
import { type JournalLine, keyOf } from './journal-line.ts';

export interface Arrivals {
  /**
   * When the next arrival has waited long enough, in milliseconds since the epoch; null: none
   * waits.
   */
  dueMs(): number | null;
  add(arrived: readonly Arrival[], nowMs: number): void;
  /** Takes journal lines, each once, in order. */
  addJournalLines(lines: readonly JournalLine[]): void;
  /** Arrivals that waited long enough and remain unexplained, each once. */
  settle(nowMs: number): Arrival[];
}

const BEGINNINGS: readonly string[] = ['arm', 're-arm'];
const ENDS: readonly string[] = ['lift', 'retire'];

/** Bounds the memory of ids that stood before or were explained. */
const MAX_REMEMBERED = 4_096;

/**
 * `standing`: holds of the first look that the journal explains, or may have explained. `graceMs`:
 * an arm writes its line some milliseconds after the hold stands.
 */
export function arrivals(
  standing: readonly Arrival[],
  { graceMs = 500 }: { graceMs?: number } = {},
): Arrivals {
  // A hold that was out of sight for a moment was not placed again.
  const known = new Set(standing.map(arrivalKey));
  const pending = new Map<string, { readonly arrival: Arrival; readonly untilMs: number }>();

  const remember = (key: string) => {
    known.add(key);
    for (const oldest of known) {
      if (known.size <= Math.max(MAX_REMEMBERED, standing.length)) break;
      known.delete(oldest);
    }
  };

  return {
    dueMs: () =>
      pending.size === 0 ? null : Math.min(...[...pending.values()].map((p) => p.untilMs)),
    add(arrived, nowMs) {
      for (const arrival of arrived) {
        const key = arrivalKey(arrival);
        if (!known.has(key)) pending.set(key, { arrival, untilMs: nowMs + graceMs });
      }
    },
    addJournalLines(lines) {
      for (const { event, scope, holdIds } of lines) {
        for (const id of holdIds) {
          const key = keyOf(scope, id);
          if (BEGINNINGS.includes(event)) remember(key);
          // A beginning that is recorded after the end of its hold would be read as another hold, without an end.
          else if (ENDS.includes(event) && pending.get(key)?.arrival.scope.dir === scope) {
            pending.delete(key);
          }
        }
      }
    },
    settle(nowMs) {
      const unexplained: Arrival[] = [];
      for (const [key, { arrival, untilMs }] of pending) {
        // If the clock was set back, do not wait longer.
        const waited = nowMs >= untilMs || untilMs - nowMs > graceMs;
        if (!waited && !known.has(key)) continue;
        pending.delete(key);
        if (!known.has(key)) unexplained.push(arrival);
        remember(key);
      }
      return unexplained;
    },
  };
}

export const arrivalKey = ({ scope, hold }: Arrival): string => keyOf(scope.dir, hold.id);
