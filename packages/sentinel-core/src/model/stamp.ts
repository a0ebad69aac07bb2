/**
 * Reads and writes the instants in a sentinel's body.
 * `body.ts` and `deadline.ts` apply them to a hold.
 *
 * The grammar is ISO 8601 as CPython's `datetime.fromisoformat` reads it, since that is the other
 * reader of these files. A text that is not understood never expires, so every rule here may be
 * narrower than that reader's, and none may be wider. These rules are narrower on purpose: decimals
 * belong to seconds and follow a `.` or `,`; before an offset there is no stray text except one
 * space or a decimal mark without decimals; an offset has at most 59 minutes and 59 seconds.
 */
import { stripSpace } from './space.ts';

/**
 * Milliseconds since the epoch of 9999-12-31T23:59:59.999Z, the last instant with a year of four
 * digits.
 */
export const MAX_INSTANT_MS = 253_402_300_799_999;

/** 0001-01-01T00:00:00Z: the other reader has no year 0. */
const MIN_INSTANT_MS = -62_135_596_800_000;
const DAY_MS = 86_400_000;

const CALENDAR_DATE = /^(\d{4})(-?)(\d\d)\2(\d\d)/;
// The separator may be any character, even the hyphen in `2001-W01-12`, which is 12 o'clock: a day
// of the week is one digit that is not followed by another.
const WEEK_DATE = /^(\d{4})(-?)W(\d\d)(?:\2(\d)(?!\d))?/;
// One separator, a clock, and an offset: `Z` at the end, or everything from the first sign on.
// Since any separator is allowed, in `2001010112345` the 1 after the date is the separator and
// 23:45 the time. So a `Z` right after the date is a separator, too, and not an offset.
const TIME_OF_DAY = /^.([^+-]+?)(Z|[+-].+)?$/su;
// Colons everywhere or nowhere.
const CLOCK = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?$/;

/**
 * The instant of `text` in microseconds since the epoch; null: not understood. Surrounding space is
 * tolerated, a text without an offset is UTC, and decimals past the sixth are cut. An offset can
 * take the result up to a day outside the years 1 to 9999. Throws nothing.
 */
export function parseStamp(text: string): bigint | null {
  const stamp = stripSpace(text);
  const date = readDate(stamp);
  if (date === null) return null;
  const midnight = BigInt(date.day * DAY_MS) * 1000n;
  if (date.length === stamp.length) return midnight;

  const match = TIME_OF_DAY.exec(stamp.slice(date.length));
  if (match === null) return null;
  const [, clock = '', offset] = match;
  if (offset === undefined) {
    const time = readClock(clock);
    return time === null ? null : midnight + time;
  }
  // Before an offset there may be one space, or a decimal mark without decimals.
  const time = readClock(clock.replace(/^([\d:]+)[ .,]$/, '$1'));
  const shift = offset === 'Z' ? 0n : readClock(offset.slice(1));
  if (time === null || shift === null) return null;
  // The other reader loses an offset of less than a second, so it is not accepted here.
  if (shift !== 0n && shift < 1_000_000n) return null;
  return midnight + time + (offset.startsWith('-') ? shift : -shift);
}

/**
 * The deadline of `text` in milliseconds since the epoch; null: not understood, so it never passes.
 * Rounded up, so that a hold never ends early. It can exceed `MAX_INSTANT_MS`. Throws nothing.
 */
export function expiryMs(text: string): number | null {
  const micros = parseStamp(text);
  if (micros === null) return null;
  // Division of bigints rounds toward zero, which is up for instants before the epoch.
  return Number(micros > 0n ? (micros + 999n) / 1000n : micros / 1000n);
}

/**
 * Formats `ms` since the epoch as `YYYY-MM-DDTHH:MM:SS.mmm+00:00`, which every reader of sentinels
 * understands. Throws a RangeError unless `ms` is a whole number of milliseconds in the years 1 to
 * 9999, since no reader would understand the text.
 */
export function formatInstant(ms: number): string {
  if (!Number.isInteger(ms) || ms < MIN_INSTANT_MS || ms > MAX_INSTANT_MS) {
    throw new RangeError(`not an instant in the years 1 to 9999: \`${ms}\``);
  }
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

/**
 * Formats the deadline of a hold, as `formatInstant`. A stamp with an offset can lie up to a day
 * outside the years 1 to 9999; then it is the nearest instant in them. `ms` comes from `expiryMs`.
 */
export const formatNearestInstant = (ms: number): string =>
  formatInstant(Math.min(Math.max(ms, MIN_INSTANT_MS), MAX_INSTANT_MS));

interface ReadDate {
  /** Days since the epoch. */
  readonly day: number;
  /** Number of characters of the date. */
  readonly length: number;
}

function readDate(text: string): ReadDate | null {
  const calendar = CALENDAR_DATE.exec(text);
  const week = calendar === null ? WEEK_DATE.exec(text) : null;
  const match = calendar ?? week;
  if (match === null) return null;
  const [whole, year, , monthOrWeek, dayOf = '1'] = match;
  const dayIn = calendar === null ? dayInWeek : dayInMonth;
  const day = dayIn(Number(year), Number(monthOrWeek), Number(dayOf));
  return day === null ? null : { day, length: whole.length };
}

function dayInMonth(year: number, month: number, dayOfMonth: number): number | null {
  if (year < 1 || month < 1 || month > 12 || dayOfMonth < 1) return null;
  const day = dayNumber(year, month, dayOfMonth);
  return day < dayNumber(year, month + 1, 1) ? day : null;
}

function dayInWeek(year: number, week: number, weekday: number): number | null {
  if (year < 1 || weekday < 1 || weekday > 7) return null;
  // A week belongs to the year of its Thursday; week 1 contains 4 January.
  const newYear = dayNumber(year, 1, 1);
  const nextNewYear = dayNumber(year + 1, 1, 1);
  const monday = mondayBefore(newYear + 3) + (week - 1) * 7;
  if (monday + 3 < newYear || monday + 3 >= nextNewYear) return null;
  const day = monday + weekday - 1;
  // The last week of 9999 ends in a year that cannot be written.
  return day < dayNumber(10_000, 1, 1) ? day : null;
}

/**
 * Days since the epoch. `setUTCFullYear` carries a 13th month over, and takes years below 100
 * literally.
 */
function dayNumber(year: number, month: number, dayOfMonth: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, dayOfMonth) / DAY_MS;
}

function mondayBefore(day: number): number {
  // Day 0 of the epoch was a Thursday.
  const sinceMonday = (((day + 3) % 7) + 7) % 7;
  return day - sinceMonday;
}

/** Microseconds since midnight, or of an offset; null: not a time of day. */
function readClock(text: string): bigint | null {
  const match = CLOCK.exec(text);
  if (match === null) return null;
  const [, hour, , minute = '0', second = '0', decimals = ''] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(decimals.slice(0, 6).padEnd(6, '0'));
}
