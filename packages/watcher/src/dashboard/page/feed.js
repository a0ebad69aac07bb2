// @ts-nocheck
/**
 * Follows the watcher's state and whether it is live. Runs in a worker that all tabs share, or in a
 * tab. Stream events are only hints: the state is read again each time. Without a stream, the state
 * is polled every few seconds.
 * The requests are `ask.js`.
 */
import { askBlind, askState, askWhyRefused } from './ask.js';

/** Until the watcher announces its interval. */
const HEARTBEAT_MS = 3_000;
const MAX_EVENTS = 100;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 2_000;
/** While polling works, a stream is less urgent. */
const LAST_ASKING_RETRY_MS = 10_000;
/** Many events at once cause one read. */
const SETTLE_MS = 80;
/** Polling interval without a stream. An unchanged state is a short answer. */
const ASK_MS = 2_000;

/**
 * `tell` gets `{ kind: 'state', state, link }`, `{ kind: 'link', link }` and `{ kind: 'events',
 * events }`. A link is `live`, or has `asking: { everyMs, why }`, or neither: then the watcher does
 * not answer. Answers functions to send everything again, and to look at once, since a machine that
 * slept notices nothing itself.
 */
export function follow(tell) {
  /** The stream that is open or being opened. */
  let source = null;
  let isOpen = false;
  /** The stream during which the state was last read. An older state is not live. */
  let confirmedBy = null;
  /** When the stream was last opened or sent something. */
  let streamAt = 0;
  /** Why there is no stream: `full`, `refused`, `unknown`. */
  let why = 'unknown';
  /** The reason of a refused stream is being requested. */
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
    // After a sleep: the stream continues, and its message comes before the state is read again.
    if (isSilent()) confirmedBy = null;
    streamAt = Date.now();
    tellLink({ heardAt: Date.now() });
  };
  const take = (found, more) => {
    relink(more);
    // Two answers may arrive in the wrong order.
    const isOlder = state?.epoch === found.epoch && found.revision < state.revision;
    if (!isOlder) state = found;
    // Sent together, or a new state would briefly be called stale.
    tell({ kind: 'state', state, link });
  };

  /** One read at a time, and one more if something happened meanwhile. */
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
  /** While there is no stream. */
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
        // Ignore messages of an older stream.
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
      // `EventSource` reconnects after a failed connection, but not after an error answer.
      const isRefused = opened.readyState === EventSource.CLOSED;
      cut();
      if (isRefused) void explain(path);
      else {
        again(backoff());
        void read();
      }
    });
  }

  /** Find the reason first, so that the next message is complete. */
  async function explain(path) {
    explaining = true;
    const refused = await askWhyRefused(path);
    explaining = false;
    if (source !== null) return;
    why = refused.why;
    // Not before the requested time, and spread over clients.
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

  /** The stream is gone: nothing is live until the watcher answers. */
  function cut() {
    source?.close();
    source = null;
    isOpen = false;
    confirmedBy = null;
    tellLink({});
    askAgain();
  }

  /** The watcher does not answer: report it now and retry. */
  function lose() {
    if (link.asking !== null) {
      // The next watcher did not ask for this waiting time.
      clearTimeout(retry);
      retry = undefined;
      why = 'unknown';
      retryMs = FIRST_RETRY_MS;
    }
    relink({ asking: null });
    cut();
    again(backoff());
  }

  /** A silently dropped connection looks like one without events. */
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
      // Each tab asks for a look at its start; while the limit is reached, do not open a stream for
      // it.
      else if (why !== 'full' && !explaining) open();
      void read();
    },
    everything() {
      tell(state === null ? { kind: 'link', link } : { kind: 'state', state, link });
      tell({ kind: 'events', events });
    },
  };
}
