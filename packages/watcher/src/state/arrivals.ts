/**
 * Detects holds that another tool placed: they appeared, and no journal line explains them.
 * Their `hold.armed` events were already sent at once. Holds that are gone are `departures.ts`.
 */
import type { JournalLine } from './departures.ts';
import type { HoldView, ScopeState } from './fleet-state.ts';

export interface Arrival {
  readonly scope: ScopeState;
  readonly hold: HoldView;
}

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

/** Bounds the memory of ids that stood before or were explained. */
const MAX_REMEMBERED = 4_096;

/**
 * `standing`: holds of the first look that the journal explains, or may have explained. `graceMs`:
 * an arm writes its line some milliseconds after the hold stands.
 */
export function arrivals(
  standing: readonly HoldView[],
  { graceMs = 500 }: { graceMs?: number } = {},
): Arrivals {
  // A hold that was out of sight for a moment was not placed again.
  const known = new Set(standing.map(({ id }) => id));
  const pending = new Map<string, { readonly arrival: Arrival; readonly untilMs: number }>();

  const remember = (id: string) => {
    known.add(id);
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
        const { id } = arrival.hold;
        if (!known.has(id)) pending.set(id, { arrival, untilMs: nowMs + graceMs });
      }
    },
    addJournalLines(lines) {
      for (const { event, holdIds } of lines) {
        if (event !== 'arm' && event !== 're-arm') continue;
        for (const id of holdIds) remember(id);
      }
    },
    settle(nowMs) {
      const unexplained: Arrival[] = [];
      for (const [id, { arrival, untilMs }] of pending) {
        // If the clock was set back, do not wait longer.
        const waited = nowMs >= untilMs || untilMs - nowMs > graceMs;
        if (!waited && !known.has(id)) continue;
        pending.delete(id);
        if (!known.has(id)) unexplained.push(arrival);
        remember(id);
      }
      return unexplained;
    },
  };
}
