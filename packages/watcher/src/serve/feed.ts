/**
 * The content of an event stream, in order: a snapshot, then each event, and a gap wherever events
 * are missing. The store's bounded log is the only queue and a reader is a position in it, so a
 * thousand slow readers take no more memory than one.
 * Writing to a connection is `stream.ts`.
 */

import { jsonText } from '@fleet-estop/sentinel-core';
import { envelopeOf, eventId, parseEventId } from '../state/envelope.ts';
import type { EventLog, FleetEvent } from '../state/event-log.ts';
import type { Store } from '../state/store.ts';

export interface Feed {
  /** `after`: id of the last event that this reader saw; null: none. */
  open(after: string | null, options?: { readonly recent?: number }): Reader;
  /** Readers of this run that got a `gap`. */
  readonly gaps: number;
  /** Events written, counted per reader. */
  readonly sent: number;
  readonly readers: number;
  /** Ends all readers. */
  close(): void;
}

export interface Reader {
  /** The next text to write; waits for one. null: the feed has ended. */
  next(): Promise<string | null>;
  close(): void;
}

export interface FeedOptions {
  readonly store: Store;
  /** URI of the fleet. */
  readonly source: string;
  /** The whole state, as JSON on one line. */
  readonly state: () => string;
  /** Fields of the heartbeat that change without an event. */
  readonly heartbeatData: () => object;
  readonly heartbeatMs: number;
}

/** How long `EventSource` must wait before it reconnects. */
const RETRY_MS = 1_000;
/** Maximum length of one write: more would only wait in another buffer. */
const MAX_CHUNK = 65_536;

type GapReason = 'another-run' | 'too-old' | 'not-understood';

export function feed(options: FeedOptions): Feed {
  const { store, source, state, heartbeatData, heartbeatMs } = options;
  const { epoch } = store.snapshot();
  const wakers = new Set<() => void>();
  const frames = new WeakMap<FleetEvent, string>();
  const counts = { gaps: 0, sent: 0 };
  let beats = 0;
  let closed = false;
  let readers = 0;

  const wake = () => {
    const waiting = [...wakers];
    wakers.clear();
    for (const resume of waiting) resume();
  };
  const beatNow = () => {
    beats += 1;
    wake();
  };
  let timer = setInterval(beatNow, heartbeatMs).unref();

  let { revision } = store.snapshot();
  const unsubscribe = store.subscribe((snapshot, events) => {
    const isNumbered = snapshot.revision !== revision;
    revision = snapshot.revision;
    if (events.length > 0) wake();
    // The state changed without an event: send its number with a heartbeat.
    else if (isNumbered) {
      clearInterval(timer);
      timer = setInterval(beatNow, heartbeatMs).unref();
      beatNow();
    }
  });

  /** Built once for all readers, and freed when the log drops the event. */
  const frameOf = (event: FleetEvent): string => {
    const known = frames.get(event);
    if (known !== undefined) return known;
    const frame = frameText({
      id: eventId(epoch, event.revision),
      data: jsonText(envelopeOf(epoch, source, event)),
    });
    frames.set(event, frame);
    return frame;
  };
  const pastFrameOf = (event: FleetEvent): string =>
    frameText({ data: JSON.stringify(envelopeOf(epoch, source, event)) });
  const snapshotFrame = () =>
    frameText({ event: 'snapshot', id: eventId(epoch, store.snapshot().revision), data: state() });
  const gapFrame = (after: string, why: GapReason) => {
    counts.gaps += 1;
    return frameText({ event: 'gap', data: JSON.stringify({ epoch, after, why }) });
  };
  const heartbeatFrame = () => {
    const { revision, looked_at } = store.snapshot();
    const data = JSON.stringify({ epoch, revision, looked_at, ...heartbeatData() });
    return frameText({ event: 'heartbeat', data });
  };
  const sinceOf = sharedLookup(store.log);

  return {
    get gaps() {
      return counts.gaps;
    },
    get sent() {
      return counts.sent;
    },
    get readers() {
      return readers;
    },
    open(after, { recent = 0 } = {}) {
      const start = startOf(after, epoch, store);
      let position = 'position' in start ? start.position : null;
      let gap = 'gap' in start ? start.gap : null;
      let lastId = after ?? '';
      let older = recent;
      let opening = true;
      let beatsSeen = beats;
      let ended = false;
      let waker: (() => void) | undefined;
      readers += 1;

      const opened = (): string => {
        let text = `retry: ${RETRY_MS}\n\n`;
        if (gap !== null) text += gapFrame(lastId, gap);
        gap = null;
        if (position !== null) return text;
        position = store.snapshot().revision;
        text += snapshotFrame();
        // Past events, for a reader that asked for them. The snapshot already contains them, so
        // they have no id: ids are unique and only grow.
        if (older > 0) text += store.log.recent(older).map(pastFrameOf).join('');
        older = 0;
        return text;
      };

      const newEvents = (): string => {
        if (position === null) return opened();
        const events = sinceOf(position);
        if (events === 'gap') {
          // It reads more slowly than the log drops events.
          lastId = eventId(epoch, position);
          gap = 'too-old';
          position = null;
          return opened();
        }
        let text = '';
        for (const event of events) {
          text += frameOf(event);
          counts.sent += 1;
          position = event.revision;
          if (text.length >= MAX_CHUNK) break;
        }
        return text;
      };

      return {
        async next() {
          while (!ended && !closed) {
            // The first heartbeat tells the reader the interval.
            let text = opening ? opened() + heartbeatFrame() : newEvents();
            opening = false;
            if (text === '' && beatsSeen !== beats) text = heartbeatFrame();
            beatsSeen = beats;
            if (text !== '') return text;
            await new Promise<void>((resolve) => {
              waker = resolve;
              wakers.add(resolve);
            });
          }
          return null;
        },
        close() {
          if (ended) return;
          ended = true;
          readers -= 1;
          if (waker !== undefined) wakers.delete(waker);
          waker?.();
        },
      };
    },
    close() {
      closed = true;
      clearInterval(timer);
      unsubscribe();
      wake();
    },
  };
}

/**
 * Where a reader continues: after its last event, or with a snapshot, and with a gap if it missed
 * events.
 */
function startOf(
  after: string | null,
  epoch: string,
  store: Store,
): { readonly position: number } | { readonly gap: GapReason | null } {
  if (after === null || after === '') return { gap: null };
  const seen = parseEventId(after);
  if (seen === null) return { gap: 'not-understood' };
  if (seen.epoch !== epoch) return { gap: 'another-run' };
  if (seen.revision > store.snapshot().revision) return { gap: 'not-understood' };
  return store.log.after(seen.revision) === 'gap'
    ? { gap: 'too-old' }
    : { position: seen.revision };
}

/** Nearly all readers are at the same position, so one lookup serves them all. */
function sharedLookup(log: EventLog) {
  let newest: FleetEvent | undefined;
  let known = new Map<number, readonly FleetEvent[] | 'gap'>();
  return (revision: number): readonly FleetEvent[] | 'gap' => {
    const [last] = log.recent(1);
    if (last === undefined || last.revision <= revision) return [];
    if (last !== newest) known = new Map();
    newest = last;
    const found = known.get(revision) ?? log.after(revision);
    known.set(revision, found);
    return found;
  };
}

/** JSON text has no line breaks here, so one `data` line is enough. */
function frameText({ event, id, data }: { event?: string; id?: string; data: string }): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${data}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
