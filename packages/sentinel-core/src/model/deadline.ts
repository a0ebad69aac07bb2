/**
 * Decides whether a deadline has passed. The wall clock can be wrong and can be set; nobody sets
 * the time since the boot. So a hold records by both clocks when its deadline was set. If the two
 * disagree within one boot, the hold stays in force.
 * `process/boot-clock.ts` reads the time since the boot.
 */
import type { ClockStamp, Hold } from './hold.ts';
import { type JsonObject, type JsonValue, NumberText } from './json.ts';

/** The time since the boot of this machine, suspend included. */
export interface Uptime {
  /** The name of the boot. '': the platform names its boots, but the name could not be read now. */
  readonly boot: string;
  readonly ms: number;
}

/** The clock that nobody sets: the time since the boot. */
export interface BootClock {
  /** null: this platform does not name its boots. */
  uptime(): Uptime | null;
}

/** One moment by both clocks. */
export interface Clock extends BootClock {
  readonly nowMs: number;
}

/**
 * Milliseconds by which the two clocks may differ: leap seconds, the resolution of the uptime, and
 * a pause of the writer between its two readings. Decision: `2026-11-30-a-wrong-clock.md`.
 */
export const CLOCK_TOLERANCE_MS = 2_000;

/**
 * Milliseconds. A wrong clock is mostly wrong by hours: a time zone taken for UTC, or a guest that
 * slept. A deadline more than a day ago has passed by every serious clock.
 */
const MARGIN_MS = 24 * 3_600_000;

/**
 * The clock of one look. It reads the uptime at most once, and only for a deadline that has passed
 * by the wall clock.
 */
export function clockAt(nowMs: number, boot: BootClock): Clock {
  let uptime: Uptime | null | undefined;
  return {
    nowMs,
    uptime() {
      if (uptime === undefined) uptime = boot.uptime();
      return uptime;
    },
  };
}

/**
 * Whether a hold has expired: its deadline has passed by the wall clock, and the time since it was
 * set does not contradict.
 */
export function hasExpired(hold: Hold, clock: Clock): boolean {
  if (hold.expiresAtMs === null || hold.expiresAtMs > clock.nowMs) return false;
  return hasElapsed(hold.expiresAtMs, hold.clock, clock) ?? true;
}

/**
 * Whether an expired hold has expired for certain, even if this process's wall clock is wrong. Only
 * then may a rewrite drop another holder's hold [1].
 */
export function hasSurelyExpired({ expiresAtMs, clock: stamp }: Hold, clock: Clock): boolean {
  if (expiresAtMs === null) return false;
  return hasElapsed(expiresAtMs, stamp, clock) ?? expiresAtMs + MARGIN_MS <= clock.nowMs;
}

/**
 * Whether the time from setting to deadline has elapsed since this boot. null: the hold has no
 * usable stamp of this boot. INVARIANT 2: while the name of this boot cannot be read, a deadline
 * with a stamp has not passed.
 */
function hasElapsed(
  expiresAtMs: number,
  stamp: ClockStamp | undefined,
  clock: Clock,
): boolean | null {
  if (stamp === undefined) return null;
  const uptime = clock.uptime();
  if (uptime === null) return null;
  if (uptime.boot === '') return false;
  if (!isOf(stamp, uptime)) return null;
  return uptime.ms - stamp.uptimeMs >= expiresAtMs - stamp.wallMs - CLOCK_TOLERANCE_MS;
}

/**
 * Milliseconds by which the wall clock was set forward since the hold's deadline was set; negative:
 * back. null: unknown (no stamp, another boot, or a platform that does not name its boots).
 * `nowMs`: wall clock, milliseconds since the epoch. Decision: `2026-11-30-a-wrong-clock.md`.
 */
export function stepSince({ clock: stamp }: Hold, nowMs: number, boot: BootClock): number | null {
  const uptime = stamp === undefined ? null : boot.uptime();
  if (stamp === undefined || uptime === null || !isOf(stamp, uptime)) return null;
  return nowMs - stamp.wallMs - (uptime.ms - stamp.uptimeMs);
}

/**
 * The stamp for a deadline that is written now. A deadline kept from an older hold keeps its stamp;
 * with a fresh one, a deadline that the wall clock jumped over would pass at once.
 */
export function stampFor(
  kept: ClockStamp | undefined,
  clocks: BootClock & { now(): number },
): ClockStamp | null {
  const uptime = clocks.uptime();
  if (uptime === null || uptime.boot === '') return null;
  if (kept !== undefined && isOf(kept, uptime)) return kept;
  return { boot: uptime.boot, uptimeMs: uptime.ms, wallMs: clocks.now() };
}

const isOf = (stamp: ClockStamp, { boot, ms }: Uptime): boolean =>
  boot !== '' && stamp.boot === boot && stamp.uptimeMs <= ms;

/** undefined: there is no stamp, or it makes no sense. */
export function readStamp(value: JsonValue | undefined): ClockStamp | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || value instanceof NumberText) return undefined;
  const [uptimeMs, wallMs] = [numberOf(value.uptime_ms), numberOf(value.wall_ms)];
  if (typeof value.boot !== 'string' || uptimeMs === null || wallMs === null) return undefined;
  return { boot: value.boot, uptimeMs, wallMs };
}

export function writeStamp({ boot, uptimeMs, wallMs }: ClockStamp): JsonObject {
  const number = (ms: number) => new NumberText(String(Math.round(ms)));
  return Object.assign(Object.create(null) as JsonObject, {
    boot,
    uptime_ms: number(uptimeMs),
    wall_ms: number(wallMs),
  });
}

function numberOf(value: JsonValue | undefined): number | null {
  const number = value instanceof NumberText ? Number(value.text) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : null;
}
