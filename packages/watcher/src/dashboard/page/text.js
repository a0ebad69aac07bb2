// @ts-nocheck
/**
 * Texts for people. Text from files is data: it is never markup, and invisible characters are
 * shown.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/gu;

export const visible = (text) =>
  String(text).replace(HIDDEN, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** The two largest units, so that most of a thousand texts stay the same from second to second. */
export function span(ms) {
  let seconds = Math.max(0, Math.floor(ms / 1_000));
  const first = UNITS.findIndex(([size]) => seconds >= size);
  if (first === -1) return '0s';
  const parts = UNITS.slice(first, first + 2).map(([size, unit]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return `${count}${unit}`;
  });
  return parts.filter((part, at) => at === 0 || !part.startsWith('0')).join(' ');
}

export function heldFor({ since }, nowMs) {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? 'unknown' : span(nowMs - ms);
}

export function leftOf({ expires_at, expires_at_ms, unreadable }, nowMs) {
  if (expires_at_ms !== null) return expires_at_ms > nowMs ? span(expires_at_ms - nowMs) : 'over';
  if (expires_at === null && unreadable !== null) return 'unknown';
  return expires_at === null ? 'until lifted' : 'until lifted (unreadable deadline)';
}

export const reasonOf = ({ reason, unreadable }) =>
  unreadable !== null ? `cannot be read: ${visible(unreadable)}` : visible(reason ?? '—');

export const holderOf = ({ holder }) => visible(holder ?? 'unsigned');

/** Where a scope applies. */
export const PLACE = {
  profile: 'this profile',
  root: 'the whole fleet',
  cluster: 'the whole cluster',
};

/** An element with text content, never markup. */
export function element(name, text, className = '') {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Writes only changes: a thousand cells are compared, and few are touched. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export const isolated = (text) => element('bdi', text);
