/**
 * Events that wait for one webhook, in their order. Bounded: a receiver that is away costs the oldest
 * of them, and never the watcher's memory.
 */
import type { FleetEvent } from '../state/event-log.ts';

export interface Backlog {
  readonly waiting: number;
  /** Answers how many were dropped for it. */
  add(event: FleetEvent): number;
  /** The oldest, once there is one; null: closed. */
  next(): Promise<FleetEvent | null>;
  close(): void;
}

/** For one reader. */
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
      // In blocks, so that taking from the front stays cheap.
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
