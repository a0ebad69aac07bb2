/**
 * Holds that appeared and that no line of the journal explains: another tool placed them.
 * Their events were sent before, at once: nothing here delays a state. Holds that are gone are
 * `departures.ts`.
 */
import type { JournalLine } from './departures.ts';
import type { HoldView, ScopeState } from './fleet-state.ts';

export interface Arrival {
  readonly scope: ScopeState;
  readonly hold: HoldView;
}

export interface Arrivals {
  /** When the next of them has waited long enough, milliseconds since the epoch; null: none waits. */
  dueMs(): number | null;
  add(arrived: readonly Arrival[], nowMs: number): void;
  /** Lines of the journal, each once, in their order. */
  addJournalLines(lines: readonly JournalLine[]): void;
  /** Those that waited long enough and that nothing explains, each once. */
  settle(nowMs: number): Arrival[];
}

/** Ids that are remembered, as standing before or as explained: a bound on memory alone. */
const MAX_REMEMBERED = 4_096;

/**
 * `standing`: what the first look saw and the journal tells of, or may have told of. `graceMs`: an arm
 * writes its line after the hold stands, within a few milliseconds.
 */
export function arrivals(
  standing: readonly HoldView[],
  { graceMs = 500 }: { graceMs?: number } = {},
): Arrivals {
  // A hold that is out of sight for a moment, and back, was not placed again.
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
        // A clock that was set back must not make anybody wait for longer.
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
