/**
 * The bounded, ordered log of this run's events.
 * Delivery is `push/` and `serve/`.
 */
import type { EventType } from '@fleet-estop/protocol';

export interface FleetEvent {
  /** Unique and increasing within one run (`epoch`); numbers may be skipped. */
  readonly revision: number;
  readonly type: EventType;
  /** ISO 8601. */
  readonly time: string;
  /** `root`, `cluster`, `profile/<name>`, `gateway/<instance>`, `config` or `clock`. */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventLog {
  append(event: FleetEvent): void;
  /** Events after `revision`, or `gap` if the log no longer reaches back that far. */
  after(revision: number): readonly FleetEvent[] | 'gap';
  recent(most: number): readonly FleetEvent[];
}

/** Total characters of all events. A usual event has a few hundred; a reason may have 64 Ki. */
const MAX_CHARS = 4 * 1_024 * 1_024;

/** Frequent events whose only texts are names. */
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

/** Keeps at least `capacity` of the newest events, unless their texts exceed `maxChars`. */
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
      // Trimmed in blocks, so that appending stays cheap.
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

/** Copied, since a reason that is a slice of a body would keep the whole body in memory. */
function entryOf(event: FleetEvent): LogEntry {
  const text = JSON.stringify(event.data);
  return { event: { ...event, data: JSON.parse(text) }, chars: text.length };
}
