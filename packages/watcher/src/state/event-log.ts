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
  'clock.stepped',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface FleetEvent {
  /** Unique and increasing within one run (`epoch`) of the watcher; numbers may be left out. */
  readonly revision: number;
  readonly type: EventType;
  /** ISO 8601. */
  readonly time: string;
  /** What it is about: `root`, `cluster`, `profile/<name>`, `gateway/<instance>`, `config` or `clock`. */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventLog {
  append(event: FleetEvent): void;
  /** Those after `revision`, or `gap` where the log no longer reaches back that far. */
  after(revision: number): readonly FleetEvent[] | 'gap';
  recent(most: number): readonly FleetEvent[];
}

/** Of the texts of all events together. An ordinary one has a few hundred; a reason may have 64 Ki. */
const MAX_CHARS = 4 * 1_024 * 1_024;

/** These come by the thousand, and hold no text but names. */
const NAMES_ONLY: ReadonlySet<EventType> = new Set([
  'profile.paused',
  'profile.running',
  'gateway.acknowledged',
]);
const NAMES_CHARS = 256;

interface LogEntry {
  readonly event: FleetEvent;
  readonly chars: number;
}

/** Keeps at least so many of the newest events, as long as they are not too long together. */
export function eventLog(capacity = 4_096, maxChars = MAX_CHARS): EventLog {
  let entries: LogEntry[] = [];
  let chars = 0;
  let dropped = 0;

  const trim = (): void => {
    let first = entries.length - 1;
    let text = entries[first]?.chars ?? 0;
    while (first > 0 && entries.length - first < capacity) {
      text += entries[first - 1]?.chars ?? 0;
      if (text > maxChars) break;
      first -= 1;
    }
    dropped = entries[first - 1]?.event.revision ?? dropped;
    entries = entries.slice(first);
    chars = entries.reduce((sum, entry) => sum + entry.chars, 0);
  };

  return {
    append(event) {
      const entry = NAMES_ONLY.has(event.type) ? { event, chars: NAMES_CHARS } : entryOf(event);
      entries.push(entry);
      chars += entry.chars;
      // In blocks, so that appending stays cheap.
      if (entries.length >= capacity * 2 || chars > maxChars * 2) trim();
    },
    after(revision) {
      if (revision < dropped) return 'gap';
      const first = entries.findIndex(({ event }) => event.revision > revision);
      return first === -1 ? [] : entries.slice(first).map(({ event }) => event);
    },
    recent: (most) => entries.slice(Math.max(0, entries.length - most)).map(({ event }) => event),
  };
}

/** A reason that was cut out of a body would keep that whole body in memory. */
function entryOf(event: FleetEvent): LogEntry {
  const text = JSON.stringify(event.data);
  return { event: { ...event, data: JSON.parse(text) }, chars: text.length };
}
