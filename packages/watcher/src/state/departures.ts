/**
 * Finds out why a hold is gone before its deadline: a journal line says who lifted it, or there is
 * none and it was cleared externally.
 * The new state was already sent at once. Reading the journal is `observe/journal-tail.ts`.
 */

import type { EventType } from '@fleet-estop/protocol';
import type { Departure } from './changes.ts';
import { holdData, subjectOf } from './event-data.ts';
import type { FleetEvent } from './event-log.ts';
import { type JournalLine, keyOf } from './journal-line.ts';

export interface Verdict {
  readonly type: EventType;
  readonly subject: string;
  readonly data: FleetEvent['data'];
  readonly departure: Departure;
}

export interface Departures {
  readonly pending: number;
  /**
   * When the next departure has waited long enough, in milliseconds since the epoch; null: none
   * waits.
   */
  dueMs(): number | null;
  add(departures: readonly Departure[], nowMs: number): void;
  /** Takes journal lines, each once, in order. */
  addJournalLines(lines: readonly JournalLine[]): void;
  /**
   * Departures that can be judged now. `standing`: whether a hold stands again, so nothing
   * departed. `journalUnreadable`: added to the verdict.
   */
  settle(
    nowMs: number,
    standing: (dir: string, id: string) => boolean,
    journalUnreadable: string | null,
  ): Verdict[];
}

/** A line may be read before its change is seen on disk, so this many are remembered. */
const MAX_REMEMBERED = 4_096;

/** `graceMs`: a lift writes its line some milliseconds after the hold is gone from disk. */
export function departures({ graceMs = 500 }: { graceMs?: number } = {}): Departures {
  let pending: { readonly departure: Departure; readonly untilMs: number }[] = [];
  const explained = new Map<string, JournalLine>();

  return {
    get pending() {
      return pending.length;
    },
    dueMs: () => (pending.length === 0 ? null : Math.min(...pending.map((p) => p.untilMs))),
    add(gone, nowMs) {
      for (const departure of gone) pending.push({ departure, untilMs: nowMs + graceMs });
    },
    addJournalLines(lines) {
      for (const line of lines) {
        if (line.event !== 'lift' && line.event !== 'retire') continue;
        for (const id of line.holdIds) explained.set(keyOf(line.scope, id), line);
      }
      for (const key of explained.keys()) {
        if (explained.size <= MAX_REMEMBERED) break;
        explained.delete(key);
      }
    },
    settle(nowMs, standing, journalUnreadable) {
      const verdicts: Verdict[] = [];
      pending = pending.filter(({ departure, untilMs }) => {
        const { scope, hold } = departure;
        if (standing(scope.dir, hold.id)) return false;
        const key = keyOf(scope.dir, hold.id);
        const line = explained.get(key);
        // If the clock was set back, do not wait longer.
        const waited = nowMs >= untilMs || untilMs - nowMs > graceMs;
        if (line === undefined && !waited) return true;
        explained.delete(key);
        verdicts.push(verdictOn(departure, line, journalUnreadable));
        return false;
      });
      return verdicts;
    },
  };
}

function verdictOn(
  departure: Departure,
  line: JournalLine | undefined,
  journalUnreadable: string | null,
): Verdict {
  const { scope, hold } = departure;
  const common = { subject: subjectOf(scope), departure };
  const data = holdData(scope, hold);
  if (line === undefined) {
    // Claim no more than is known: without the journal, a lift would look the same.
    const journal = journalUnreadable === null ? 'no line' : `unreadable: ${journalUnreadable}`;
    return { ...common, type: 'hold.cleared-externally', data: { ...data, journal } };
  }
  const { at, actor, event } = line;
  // Retired by a host whose clock is ahead of ours.
  const type = event === 'retire' ? 'hold.expired' : 'hold.lifted';
  return { ...common, type, data: { ...data, at, actor } };
}
