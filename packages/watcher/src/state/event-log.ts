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

interface Kept {
  readonly event: FleetEvent;
  readonly chars: number;
}

/** Keeps at least so many of the newest events, as long as they are not too long together. */
export function eventLog(capacity = 4_096, maxChars = MAX_CHARS): EventLog {
  let kept: Kept[] = [];
  let chars = 0;
  let dropped = 0;

  const trim = (): void => {
    let first = kept.length - 1;
    let text = kept[first]?.chars ?? 0;
    while (first > 0 && kept.length - first < capacity) {
      text += kept[first - 1]?.chars ?? 0;
      if (text > maxChars) break;
      first -= 1;
    }
    dropped = kept[first - 1]?.event.revision ?? dropped;
    kept = kept.slice(first);
    chars = kept.reduce((sum, entry) => sum + entry.chars, 0);
  };

  return {
    append(event) {
      const entry = NAMES_ONLY.has(event.type) ? { event, chars: NAMES_CHARS } : copyOf(event);
      kept.push(entry);
      chars += entry.chars;
      // In blocks, so that appending stays cheap.
      if (kept.length >= capacity * 2 || chars > maxChars * 2) trim();
    },
    after(revision) {
      if (revision < dropped) return 'gap';
      const first = kept.findIndex(({ event }) => event.revision > revision);
      return first === -1 ? [] : kept.slice(first).map(({ event }) => event);
    },
    recent: (most) => kept.slice(Math.max(0, kept.length - most)).map(({ event }) => event),
  };
}

/** A reason that was cut out of a body would keep that whole body in memory. */
function copyOf(event: FleetEvent): Kept {
  const text = JSON.stringify(event.data);
  return { event: { ...event, data: JSON.parse(text) }, chars: text.length };
}
