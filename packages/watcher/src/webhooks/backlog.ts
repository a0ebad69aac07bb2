/**
 * The queue of one webhook's events, in order. It is bounded: while a receiver is away, the oldest
 * events are dropped and memory stays limited.
 */
import type { FleetEvent } from '../state/event-log.ts';

export interface Backlog {
  readonly waiting: number;
  /** Answers how many events were dropped. */
  add(event: FleetEvent): number;
  /** The oldest event, once there is one; null: closed. */
  next(): Promise<FleetEvent | null>;
  close(): void;
}

/** Supports a single reader. */
export function backlog(capacity: number): Backlog {
  let events: FleetEvent[] = [];
  let first = 0;
  let closed = false;
  let wake = () => {};
  const waiting = () => events.length - first;

  return {
    get waiting() {
      return waiting();
    },
    add(event) {
      events.push(event);
      const dropped = Math.max(0, waiting() - capacity);
      first += dropped;
      // Trimmed in blocks, so that taking from the front stays cheap.
      if (first > capacity) {
        events = events.slice(first);
        first = 0;
      }
      wake();
      return dropped;
    },
    async next() {
      while (waiting() === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const event = closed ? undefined : events[first];
      if (event === undefined) return null;
      first += 1;
      return event;
    },
    close() {
      closed = true;
      wake();
    },
  };
}
