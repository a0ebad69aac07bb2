// @ts-nocheck
/**
 * Single requests to the watcher: the state, whether it sees the disk, and why there is no stream.
 * When they are sent, and what follows, is `feed.js`.
 */
const READ_MS = 10_000;
/** Bounds for the waiting time that an error answer asks for. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** The `Date` header counts in seconds: a smaller difference means nothing. */
const CLOCK_MS = 2_000;

const ask = (path, options = {}) =>
  fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(READ_MS), ...options });

/**
 * `found` null: the state is unchanged since this tag. Throws if the watcher does not answer with
 * it.
 */
export async function askState(tag) {
  const answer = await ask('/v1/state', {
    headers: tag === '' ? {} : { 'If-None-Match': tag },
  });
  const skewMs = skewOf(answer.headers.get('Date'));
  if (answer.status === 304) return { found: null, tag, skewMs };
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  return { found: await answer.json(), tag: answer.headers.get('ETag') ?? '', skewMs };
}

/** Why the watcher does not see the disk, as in heartbeats; empty: it does; null: unknown. */
export async function askBlind() {
  try {
    const { blind } = await (await ask('/readyz')).json();
    return Array.isArray(blind) ? blind : null;
  } catch {
    return null;
  }
}

/**
 * `EventSource` hides the error, so this sends the request once more. `full`: the stream limit is
 * reached; `waitMs` null: no waiting time was given.
 */
export async function askWhyRefused(path) {
  const control = new AbortController();
  const late = setTimeout(() => control.abort(), READ_MS);
  try {
    const answer = await fetch(path, { cache: 'no-store', signal: control.signal });
    if (answer.status === 200) return { why: 'unknown', waitMs: null };
    const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
    const waitMs = Number.isFinite(seconds)
      ? Math.min(Math.max(seconds * 1_000, MIN_WAIT_MS), MAX_WAIT_MS)
      : null;
    const isFull = answer.status === 503 && (await answer.json()).code === 'too-many-streams';
    return { why: isFull ? 'full' : 'refused', waitMs };
  } catch {
    return { why: 'unknown', waitMs: null };
  } finally {
    clearTimeout(late);
    // If it was a stream after all, free its slot for the one that stays.
    control.abort();
  }
}

function skewOf(date) {
  const ms = date === null ? Number.NaN : Date.parse(date) - Date.now();
  return Math.abs(ms) > CLOCK_MS ? ms : 0;
}
