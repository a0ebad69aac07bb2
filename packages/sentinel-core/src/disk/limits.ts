/**
 * Bounds on what one body may carry, and what gives way first: the composed reason, then reasons, then
 * what has expired longest; the deadlines, holders and allowlists of standing holds never.
 */
import { MAX_BODY_BYTES } from '../model/body.ts';
import type { Hold } from '../model/hold.ts';

export const MAX_HOLDERS = 64;
/** What others wrote may have more. Beyond this nobody meant them: it is one hold, which cannot be read. */
export const MAX_ENTRIES = 1_024;
/** Characters (UTF-16 code units) of one reason. */
export const MAX_REASON = 1_024;
const CUT_MARK = ' […]';

/** Cuts a reason that is too long, never inside a surrogate pair. */
export function shortenReason(reason: string, max = MAX_REASON): string {
  if (reason.length <= max) return reason;
  const keep = Math.max(0, max - CUT_MARK.length);
  const whole = reason.slice(0, keep);
  return `${/[\ud800-\udbff]$/.test(whole) ? whole.slice(0, -1) : whole}${CUT_MARK}`;
}

type Write = (holds: readonly Hold[], options: { composedReason: boolean }) => string;

type Fitted =
  | { readonly text: string; readonly holds: readonly Hold[] }
  | { readonly code: string };

/** The body's text within its limits, or the reason why it cannot be. */
export function fitBody(
  holds: readonly Hold[],
  write: Write,
  maxHolders = MAX_HOLDERS,
  isOver: (hold: Hold) => boolean = () => false,
): Fitted {
  const instant = ({ expiresAtMs }: Hold) => expiresAtMs ?? 0;
  const over = holds.filter(isOver).sort((a, b) => instant(a) - instant(b));
  let kept = holds;
  for (;;) {
    const fitted = fitReasons(kept, write, maxHolders);
    const longest = over.shift();
    if (!('code' in fitted) || longest === undefined) return fitted;
    kept = kept.filter((hold) => hold !== longest);
  }
}

function fitReasons(holds: readonly Hold[], write: Write, maxHolders: number): Fitted {
  if (holds.length > maxHolders) return { code: 'too-many-holders' };
  const fits = (text: string) => Buffer.byteLength(text) <= MAX_BODY_BYTES;
  const full = write(holds, { composedReason: true });
  if (fits(full)) return { text: full, holds };
  for (const max of [MAX_REASON, 256, 64, 0]) {
    const kept = holds.map((hold) => withReason(hold, max));
    const text = write(kept, { composedReason: false });
    if (fits(text)) return { text, holds: kept };
  }
  return { code: 'too-large' };
}

function withReason(hold: Hold, max: number): Hold {
  if (hold.reason === null || hold.reason.length <= max) return hold;
  const reason = max === 0 ? null : shortenReason(hold.reason, max);
  const raw = { ...hold.raw };
  if (reason === null) delete raw.reason;
  else raw.reason = reason;
  return { ...hold, reason, raw };
}
