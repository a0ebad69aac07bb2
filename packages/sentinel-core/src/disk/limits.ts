/**
 * Bounds on what one body may carry. If a body is too large, the composed reason goes first, then
 * the reasons, then the holds that expired longest ago. Deadlines, holders and allowlists of holds
 * in force never go.
 * `rewrite.ts` and `arm-bluntly.ts` write the body.
 */
import { MAX_BODY_BYTES } from '../model/body.ts';
import type { Hold } from '../model/hold.ts';

/** Maximum number of holds in a body that this version writes. */
export const MAX_HOLDERS = 64;
/**
 * A body that others wrote may have more holds than `MAX_HOLDERS`. Above this number nobody meant
 * them, and the sentinel counts as one unreadable hold.
 */
export const MAX_ENTRIES = 1_024;
/** UTF-16 code units of one reason. A longer reason is cut and marked. */
export const MAX_REASON = 1_024;
const CUT_MARK = ' […]';

/** Cuts a reason to `max` code units, its mark included, never inside a surrogate pair. */
export function shortenReason(reason: string, max = MAX_REASON): string {
  if (reason.length <= max) return reason;
  const keep = Math.max(0, max - CUT_MARK.length);
  const whole = reason.slice(0, keep);
  return `${/[\ud800-\udbff]$/.test(whole) ? whole.slice(0, -1) : whole}${CUT_MARK}`;
}

type Write = (holds: readonly Hold[], options: { composedReason: boolean }) => string;

type FittedBody =
  | { readonly text: string; readonly holds: readonly Hold[] }
  | { readonly code: string };

/** The text of the body within its limits, or the code of the limit that it exceeds. */
export function fitBody(
  holds: readonly Hold[],
  write: Write,
  maxHolders = MAX_HOLDERS,
  isOver: (hold: Hold) => boolean = () => false,
): FittedBody {
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

function fitReasons(holds: readonly Hold[], write: Write, maxHolders: number): FittedBody {
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
