/**
 * Builds the notice of a refusal: one line for people that is safe to display.
 * Programs use the fields of `Refused`.
 */
import { replaceHidden } from '@fleet-estop/sentinel-core';
import type { RefusingHold } from './gate.ts';

/** Holds that the notice lists one by one. */
const MAX_LISTED = 3;
/** Characters of a reason, if one hold refuses and if several do. */
const MAX_REASON = 200;
const MAX_REASON_OF_SEVERAL = 80;
const MAX_HOLDER = 40;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function noticeOf(
  profile: string,
  holds: readonly RefusingHold[],
  until: string | null,
  nowMs: number,
): string {
  const texts = holds.slice(0, MAX_LISTED).map((hold) => {
    return textOfHold(hold, until, nowMs, holds.length === 1 ? MAX_REASON : MAX_REASON_OF_SEVERAL);
  });
  const more = holds.length - texts.length;
  const list = [...texts, ...(more > 0 ? [`and ${more} more`] : [])].filter((it) => it !== '');
  const by = holds.length > 1 ? ` by ${holds.length} holds` : '';
  const why = list.length === 0 ? '' : `: ${list.join('; ')}`;
  return `New work on ${profile} is paused${by}${why}. ${wayOut(holds, until, nowMs)}`;
}

function wayOut(holds: readonly RefusingHold[], until: string | null, nowMs: number): string {
  if (until !== null) {
    const at = holds.length === 1 ? 'then' : `at ${clock(until, nowMs, 'up')}`;
    return `It continues by itself ${at}, or when somebody resumes it.`;
  }
  return holds.some(isIllegible)
    ? 'It continues when that is repaired, or when somebody resumes it.'
    : 'It continues when somebody resumes it.';
}

function textOfHold(
  hold: RefusingHold,
  until: string | null,
  nowMs: number,
  maxReason: number,
): string {
  const whole = { profile: [], root: ['the whole fleet'], cluster: ['the whole cluster'] };
  if (isIllegible(hold)) {
    const why = oneLine(hold.unreadable ?? '', MAX_HOLDER);
    return [`its sentinel cannot be read (${why})`, ...whole[hold.scope]].join(', ');
  }
  const details: string[] = [...whole[hold.scope]];
  if (hold.holder !== null) details.push(oneLine(hold.holder, MAX_HOLDER));
  if (hold.since !== null) details.push(`since ${clock(hold.since, nowMs, 'down')}`);
  if (hold.expiresAt !== null) details.push(end(hold.expiresAt, until, nowMs));
  const reason = oneLine(hold.reason ?? '', maxReason);
  if (details.length === 0) return reason;
  return reason === '' ? details.join(', ') : `${reason} (${details.join(', ')})`;
}

/**
 * An expired hold still refuses if this process may not remove its sentinel; then `until` is null. It also
 * refuses while the time that it had is not over: somebody set the clock forward.
 */
function end(expiresAt: string, until: string | null, nowMs: number): string {
  const at = clock(expiresAt, nowMs, 'up');
  if (Date.parse(expiresAt) > nowMs) return `until ${at}`;
  if (until !== null) return `until ${at} by a clock that was set forward since`;
  return `expired at ${at}, but its sentinel cannot be removed from here`;
}

/** An empty file is a pause without a reason; it counts as readable here. */
const isIllegible = ({ unreadable }: RefusingHold): boolean =>
  unreadable !== null && unreadable !== 'empty';

/** Makes text from a file safe as part of one line, and cuts it to `max` characters. */
export function oneLine(text: string, max: number): string {
  // Cut first: the text can be 64 KiB long. Eight times the limit leaves room for what is removed.
  const spaced = text.slice(0, max * 8).replace(/(?!\ufeff)\s/g, ' ');
  const seen = replaceHidden(spaced, '').replace(/ +/g, ' ').trim();
  const characters = [...seen];
  return characters.length <= max ? seen : `${characters.slice(0, max - 1).join('')}…`;
}

/** The time to the minute, with the date unless it is today. A deadline is never rounded down. */
function clock(instant: string, nowMs: number, round: 'up' | 'down'): string {
  const ms = Date.parse(instant);
  const minute = (round === 'up' ? Math.ceil : Math.floor)(ms / MINUTE_MS) * MINUTE_MS;
  const text = new Date(minute).toISOString();
  const isToday = Math.floor(minute / DAY_MS) === Math.floor(nowMs / DAY_MS);
  return `${isToday ? '' : `${text.slice(0, 10)} `}${text.slice(11, 16)} UTC`;
}
