// @ts-nocheck
/**
 * Follows the watcher: what stands, and whether that is still being said. Runs in a worker that all
 * tabs share, or in a tab. What is heard is only a hint: the state itself is read again each time.
 * Where there is no stream, it is asked for every few seconds. The questions are `ask.js`.
 */
import { askBlind, askState, askWhyRefused } from './ask.js';

/** Until the watcher says how often its heart beats. */
const HEARTBEAT_MS = 3_000;
const MAX_EVENTS = 100;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 2_000;
/** While it answers without a stream: then a stream is less urgent. */
const LAST_ASKING_RETRY_MS = 10_000;
/** Many events at once are one reading. */
const SETTLE_MS = 80;
/** Without a stream. One that has not changed is answered in a line. */
const ASK_MS = 2_000;

/**
 * `tell` gets `{ kind: 'state', state, link }`, `{ kind: 'link', link }` and `{ kind: 'events', events }`.
 * A link is `live`, or `asking: { everyMs, why }`, or neither: then nobody answers. Answers how to ask
 * for all of it again, and how to look at once, since a machine that slept notices nothing by itself.
 */
export function follow(tell) {
  /** The stream that is open or being opened. */
  let source = null;
  let isOpen = false;
  /** The stream during which the state was last read. What is older is not called live. */
  let confirmedBy = null;
  /** When the stream was last tried or heard. */
  let streamAt = 0;
  /** Why there is none: `full`, `refused`, `unknown`. */
  let why = 'unknown';
  /** It was refused, and is asked why. */
  let explaining = false;
  let retryMs = FIRST_RETRY_MS;
  let retry;
  let settle;
  let poll;
  let reading = false;
  let readAgain = false;
  let state = null;
  let tag = '';
  let lastId = '';
  let events = [];
  let isClockKnown = false;
  let link = {
    live: false,
    asking: null,
    heardAt: 0,
    heartbeatMs: HEARTBEAT_MS,
    skewMs: 0,
    blind: [],
  };

  const isLive = () => isOpen && confirmedBy === source;
  const relink = (more) => {
    link = { ...link, ...more, live: isLive() };
    if (link.live) link.asking = null;
  };
  const tellLink = (more) => {
    relink(more);
    tell({ kind: 'link', link });
  };
  const isSilent = () => Date.now() - streamAt > 3 * link.heartbeatMs;
  const heard = () => {
    // After a sleep: the stream goes on, and what it says comes before the state is read again.
    if (isSilent()) confirmedBy = null;
    streamAt = Date.now();
    tellLink({ heardAt: Date.now() });
  };
  const take = (found, more) => {
    relink(more);
    // Two answers may overtake each other.
    const isOlder = state?.epoch === found.epoch && found.revision < state.revision;
    if (!isOlder) state = found;
    // Together, or a new state would for a moment be called stale.
    tell({ kind: 'state', state, link });
  };

  /** One reading at a time, and one more if anything happened meanwhile. */
  async function read() {
    if (reading) {
      readAgain = true;
      return;
    }
    reading = true;
    readAgain = false;
    clearTimeout(poll);
    const during = isOpen ? source : null;
    try {
      const answer = await askState(tag);
      const more = during === null ? { blind: await askBlind() } : {};
      if (during !== null && during === source) confirmedBy = during;
      if (!isLive()) more.asking = { everyMs: ASK_MS, why };
      if (!isClockKnown) more.skewMs = answer.skewMs;
      more.heardAt = Date.now();
      tag = answer.tag;
      if (answer.found === null) tellLink(more);
      else take(answer.found, more);
    } catch {
      lose();
    }
    reading = false;
    if (readAgain) readSoon();
    else askAgain();
  }
  function readSoon() {
    clearTimeout(settle);
    settle = setTimeout(read, SETTLE_MS);
  }
  /** As long as no stream says when. */
  function askAgain() {
    clearTimeout(poll);
    if (!isLive()) poll = setTimeout(read, ASK_MS);
  }

  function remember(event) {
    if (events.some(({ id }) => id === event.id)) return;
    events = [...events, event].slice(-MAX_EVENTS);
    tell({ kind: 'events', events });
  }

  function open() {
    clearTimeout(retry);
    retry = undefined;
    streamAt = Date.now();
    source?.close();
    isOpen = false;
    const after = lastId === '' ? '' : `&last_event_id=${encodeURIComponent(lastId)}`;
    const path = `/v1/events?recent=50${after}`;
    const opened = new EventSource(path);
    source = opened;
    const on = (name, act) =>
      opened.addEventListener(name, (message) => {
        // Whatever an older stream still says is history.
        if (source !== opened) return;
        if (message.lastEventId !== '') lastId = message.lastEventId;
        retryMs = FIRST_RETRY_MS;
        act(JSON.parse(message.data));
      });
    on('snapshot', (found) => {
      tag = '';
      confirmedBy = opened;
      streamAt = Date.now();
      take(found, { heardAt: Date.now() });
    });
    on('message', (event) => {
      remember(event);
      heard();
      readSoon();
    });
    on('gap', ({ epoch, why }) => remember({ id: `gap-${epoch}-${Date.now()}`, gap: why }));
    on('heartbeat', ({ heartbeat_ms, now_ms, blind }) => {
      isClockKnown = true;
      relink({ heartbeatMs: heartbeat_ms, skewMs: now_ms - Date.now(), blind });
      heard();
      readSoon();
    });
    opened.addEventListener('open', () => {
      if (source !== opened) return;
      isOpen = true;
      why = 'unknown';
      readSoon();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      // It would come again by itself from a connection that failed, and not from a refusal.
      const isRefused = opened.readyState === EventSource.CLOSED;
      cut();
      if (isRefused) void explain(path);
      else {
        again(backoff());
        void read();
      }
    });
  }

  /** First why, so that what is said next is the whole truth. */
  async function explain(path) {
    explaining = true;
    const refused = await askWhyRefused(path);
    explaining = false;
    if (source !== null) return;
    why = refused.why;
    // Not sooner than it was said; and not everybody at once.
    again(refused.waitMs === null ? backoff() : refused.waitMs * (1 + Math.random() / 5));
    void read();
  }

  function backoff() {
    const delayMs = retryMs * (0.5 + Math.random());
    const most = link.asking === null ? LAST_RETRY_MS : LAST_ASKING_RETRY_MS;
    retryMs = Math.min(retryMs * 2, most);
    return delayMs;
  }
  function again(delayMs) {
    retry ??= setTimeout(open, delayMs);
  }

  /** There is no stream any more; what was live is not, until somebody answers. */
  function cut() {
    source?.close();
    source = null;
    isOpen = false;
    confirmedBy = null;
    tellLink({});
    askAgain();
  }

  /** Nobody answers: say so now, and come again. */
  function lose() {
    if (link.asking !== null) {
      // How long the last one wanted us to wait is nothing to the next.
      clearTimeout(retry);
      retry = undefined;
      why = 'unknown';
      retryMs = FIRST_RETRY_MS;
    }
    relink({ asking: null });
    cut();
    again(backoff());
  }

  /** A connection that was cut without a word looks like one on which nothing happens. */
  function look() {
    if (source === null || !isSilent()) return;
    cut();
    again(backoff());
    void read();
  }
  open();
  askAgain();
  setInterval(look, 1_000);
  return {
    look() {
      if (source !== null) look();
      // Each tab asks for a look when it begins: where there is no place, that makes none.
      else if (why !== 'full' && !explaining) open();
      void read();
    },
    everything() {
      tell(state === null ? { kind: 'link', link } : { kind: 'state', state, link });
      tell({ kind: 'events', events });
    },
  };
}
