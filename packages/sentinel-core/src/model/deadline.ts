/**
 * Whether a deadline has passed. The wall clock can be wrong, and can be set; the time since the boot
 * is set by nobody. So a hold says when its deadline was set by both clocks, and where they disagree
 * within one boot the hold stands.
 * How the time since the boot is read is `process/boot-clock.ts`.
 */
import type { ClockStamp, Hold } from './hold.ts';
import { type JsonObject, type JsonValue, NumberText } from './json.ts';

/** The time since this machine's boot, suspend included. */
export interface Uptime {
  /** Names the boot; '': it has a name, and that could not be looked at just now. */
  readonly boot: string;
  readonly ms: number;
}

export interface BootClock {
  /** null: this platform does not say which boot it is. */
  uptime(): Uptime | null;
}

/** One moment, by both clocks. */
export interface Clock extends BootClock {
  readonly nowMs: number;
}

/** Leap seconds, the resolution of the uptime, and a pause of the writer between its two readings. */
export const CLOCK_TOLERANCE_MS = 2_000;

/**
 * A clock that is wrong is mostly wrong by hours: a time zone taken for UTC, a guest that slept. What
 * expired longer ago than a day has expired by every clock that is meant seriously.
 */
const MARGIN_MS = 24 * 3_600_000;

/** The uptime is asked at most once, and only where a deadline has passed by the wall clock. */
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

/** The wall clock says so, and the time that has gone by since it was set does not contradict. */
export function hasExpired(hold: Hold, clock: Clock): boolean {
  if (hold.expiresAtMs === null || hold.expiresAtMs > clock.nowMs) return false;
  return hasElapsed(hold.expiresAtMs, hold.clock, clock) ?? true;
}

/**
 * Of a hold that has expired: whatever the wall clock of this process is worth, has it? Only then may
 * somebody else's be dropped.
 */
export function hasSurelyExpired({ expiresAtMs, clock: stamp }: Hold, clock: Clock): boolean {
  if (expiresAtMs === null) return false;
  return hasElapsed(expiresAtMs, stamp, clock) ?? expiresAtMs + MARGIN_MS <= clock.nowMs;
}

/**
 * null: nothing was written down in this boot that could be believed. INVARIANT 2: while nobody can
 * look which boot this is, a deadline that was written down with one has not passed.
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
 * By how much the wall clock has been set forward (or back: less than 0) since the deadline was set;
 * null: nobody can tell.
 */
export function stepSince({ clock: stamp }: Hold, nowMs: number, boot: BootClock): number | null {
  const uptime = stamp === undefined ? null : boot.uptime();
  if (stamp === undefined || uptime === null || !isOf(stamp, uptime)) return null;
  return nowMs - stamp.wallMs - (uptime.ms - stamp.uptimeMs);
}

/**
 * The stamp for a deadline that is written now. One that is kept from an older hold keeps its stamp:
 * by a fresh one, a deadline that the wall clock jumped over would have passed at once.
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

/** undefined: none, or one that makes no sense. */
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
