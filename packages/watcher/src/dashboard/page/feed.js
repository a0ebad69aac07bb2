// @ts-nocheck
/**
 * Follows the watcher: what stands, and whether that is still being said. Runs in a worker that all
 * tabs share, or in a tab. What is heard is only a hint: the state itself is read again each time.
 */

/** Until the watcher says how often its heart beats. */
const HEARTBEAT_MS = 3_000;
const MAX_EVENTS = 100;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 2_000;
/** Many events at once are one reading. */
const SETTLE_MS = 80;
const READ_MS = 10_000;

/**
 * `tell` gets `{ kind: 'state', state, link }`, `{ kind: 'link', link }` and `{ kind: 'events', events }`. Answers how to ask for all of it again, and
 * how to look at once, since a machine that slept notices nothing by itself.
 */
export function follow(tell) {
  let source = null;
  let retryMs = FIRST_RETRY_MS;
  let retry;
  let settle;
  let reading = false;
  let readAgain = false;
  let state = null;
  let tag = '';
  let lastId = '';
  let events = [];
  /** Was the state read after we were last cut off? What is older is not called live. */
  let confirmed = false;
  let triedAt = Date.now();
  let link = { live: false, heardAt: 0, heartbeatMs: HEARTBEAT_MS, skewMs: 0, blind: [] };

  const tellLink = (more) => {
    link = { ...link, ...more };
    tell({ kind: 'link', link });
  };
  const isSilent = () => Date.now() - Math.max(link.heardAt, triedAt) > 3 * link.heartbeatMs;
  const heard = () => {
    // After a sleep: the stream goes on, and what it says comes before the state is read again.
    if (isSilent()) confirmed = false;
    tellLink({ live: confirmed, heardAt: Date.now() });
  };
  const take = (found) => {
    confirmed = true;
    link = { ...link, live: source !== null, heardAt: Date.now() };
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
    try {
      const answer = await fetch('/v1/state', {
        cache: 'no-store',
        headers: tag === '' ? {} : { 'If-None-Match': tag },
        signal: AbortSignal.timeout(READ_MS),
      });
      if (answer.status === 200) {
        const found = await answer.json();
        tag = answer.headers.get('ETag') ?? '';
        take(found);
      } else if (answer.status === 304) {
        confirmed = true;
        tellLink({ live: source !== null, heardAt: Date.now() });
      } else throw new Error(`status ${answer.status}`);
    } catch {
      lose();
    }
    reading = false;
    if (readAgain) readSoon();
  }
  function readSoon() {
    clearTimeout(settle);
    settle = setTimeout(read, SETTLE_MS);
  }

  function remember(event) {
    if (events.some(({ id }) => id === event.id)) return;
    events = [...events, event].slice(-MAX_EVENTS);
    tell({ kind: 'events', events });
  }

  function open() {
    clearTimeout(retry);
    triedAt = Date.now();
    source?.close();
    const after = lastId === '' ? '' : `&last_event_id=${encodeURIComponent(lastId)}`;
    const opened = new EventSource(`/v1/events?recent=50${after}`);
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
      take(found);
    });
    on('message', (event) => {
      remember(event);
      heard();
      readSoon();
    });
    on('gap', ({ epoch, why }) => remember({ id: `gap-${epoch}-${Date.now()}`, gap: why }));
    on('heartbeat', ({ heartbeat_ms, now_ms, blind }) => {
      tellLink({ heartbeatMs: heartbeat_ms, skewMs: now_ms - Date.now(), blind });
      heard();
      readSoon();
    });
    opened.addEventListener('open', readSoon);
    opened.addEventListener('error', () => {
      if (source === opened) lose();
    });
  }

  /** It is not there, or does not answer: say so now, and come again. */
  function lose() {
    source?.close();
    source = null;
    tag = '';
    confirmed = false;
    tellLink({ live: false });
    clearTimeout(retry);
    retry = setTimeout(open, retryMs * (0.5 + Math.random()));
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }

  /** A connection that was cut without a word looks like one on which nothing happens. */
  function look() {
    if (source !== null && isSilent()) lose();
  }
  open();
  setInterval(look, 1_000);
  return {
    look() {
      if (source === null) open();
      else look();
    },
    everything() {
      tell(state === null ? { kind: 'link', link } : { kind: 'state', state, link });
      tell({ kind: 'events', events });
    },
  };
}
