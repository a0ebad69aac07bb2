/**
 * The bounded log of what happened in this run, in order.
 * Who is told, and how, is for `push/` and `serve/`.
 */
export const EVENT_TYPES = [
  'hold.armed',
  'hold.rearmed',
  'hold.lifted',
  'hold.expired',
  'hold.cleared-externally',
  'hold.unreadable',
  'profile.paused',
  'profile.running',
  'profile.added',
  'profile.removed',
  'gateway.connected',
  'gateway.acknowledged',
  'gateway.stale',
  'gateway.gone',
  'config.rejected',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface FleetEvent {
  /** Unique and increasing within one run (`epoch`) of the watcher; numbers may be left out. */
  readonly revision: number;
  readonly type: EventType;
  /** ISO 8601. */
  readonly time: string;
  /** What it is about: `root`, `cluster`, `profile/<name>`, `gateway/<instance>` or `config`. */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventLog {
  append(event: FleetEvent): void;
  /** Those after `revision`, or `gap` where the log no longer reaches back that far. */
  after(revision: number): readonly FleetEvent[] | 'gap';
  recent(most: number): readonly FleetEvent[];
}

export function eventLog(capacity = 4_096): EventLog {
  let events: FleetEvent[] = [];
  let dropped = 0;
  return {
    append(event) {
      events.push(event);
      // In blocks, so that appending stays cheap.
      if (events.length < capacity * 2) return;
      dropped = events[events.length - capacity - 1]?.revision ?? dropped;
      events = events.slice(-capacity);
    },
    after(revision) {
      if (revision < dropped) return 'gap';
      const first = events.findIndex((event) => event.revision > revision);
      return first === -1 ? [] : events.slice(first);
    },
    recent: (most) => events.slice(Math.max(0, events.length - most)),
  };
}
