// @ts-nocheck
/**
 * Questions to the watcher that are answered once: what stands, whether the watcher sees it, and why
 * there is no stream. When they are asked, and what follows, is `feed.js`.
 */
const READ_MS = 10_000;
/** What a refusal says of the time to wait is kept within these. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** A header tells the time to the second: what differs by less is no difference. */
const CLOCK_MS = 2_000;

const ask = (path, options = {}) =>
  fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(READ_MS), ...options });

/** `found` null: what stands is what this tag was given for. Throws where it is not told. */
export async function askState(tag) {
  const answer = await ask('/v1/state', {
    headers: tag === '' ? {} : { 'If-None-Match': tag },
  });
  const skewMs = skewOf(answer.headers.get('Date'));
  if (answer.status === 304) return { found: null, tag, skewMs };
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  return { found: await answer.json(), tag: answer.headers.get('ETag') ?? '', skewMs };
}

/** Why it does not see the disk, as each heartbeat of a stream says; none: it does; null: not known. */
export async function askBlind() {
  try {
    const { blind } = await (await ask('/readyz')).json();
    return Array.isArray(blind) ? blind : null;
  } catch {
    return null;
  }
}

/**
 * `EventSource` hides how it was refused, so this asks for the same once more. `full`: every place is
 * taken; `waitMs` null: nobody said how long to wait.
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
    // If it was a stream after all, its place is for the one that stays.
    control.abort();
  }
}

function skewOf(date) {
  const ms = date === null ? Number.NaN : Date.parse(date) - Date.now();
  return Math.abs(ms) > CLOCK_MS ? ms : 0;
}
