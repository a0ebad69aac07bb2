/**
 * Progress of work in hand: the modification time of its entry is when progress was last marked.
 * Other fields of a claim are its text, which is never rewritten; see `texts.ts`.
 */
import { lutimesSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, formatInstant, parseStamp } from '@fleet-estop/sentinel-core';
import type { WorkFate } from './judge.ts';
import { type ClaimName, claimsFolder, nameOf } from './names.ts';
import { reach } from './reach.ts';

/** Milliseconds between two marks of one claim: more would cost a busy loop and tell nobody more. */
const MARK_EVERY_MS = 1_000;
/**
 * Milliseconds by which a mark may differ from what its owner knows. Later calls of `touch` within
 * MARK_EVERY_MS are not marked.
 */
const TOLERANCE_MS = 2 * MARK_EVERY_MS;
/** The end of the year 9999. A file system may keep times that no calendar can show. */
const LATEST_MS = 253_402_300_799_999;

export interface Progress {
  /** ISO 8601; null if unknown. */
  readonly progressAt: string | null;
  /** Runs, or may, and made no progress for longer than its own limit. false if it has no limit. */
  readonly wedged: boolean;
}

export interface Marked {
  /** Modification time of the entry; null if unknown. */
  readonly markedMs: number | null;
  readonly since: string | null;
  readonly stallMs: number | null;
  readonly fate: WorkFate;
}

export function progressOf({ markedMs, since, stallMs, fate }: Marked, nowMs: number): Progress {
  const sinceMs = instantOf(since);
  const known = markedMs !== null && markedMs >= 0 && markedMs <= LATEST_MS ? markedMs : null;
  if (known === null && sinceMs === null) return { progressAt: null, wedged: false };
  const atMs = Math.floor(Math.max(known ?? 0, sinceMs ?? 0));
  // If it began in the future, the clock was set back since then, and only the mark can be right.
  const judgedMs = known !== null && (sinceMs ?? 0) > nowMs ? known : atMs;
  return {
    progressAt: formatInstant(Math.min(atMs, LATEST_MS)),
    wedged: fate !== 'abandoned' && stallMs !== null && nowMs - judgedMs > stallMs,
  };
}

/** Milliseconds since the epoch of a stamp from disk; null if it cannot be parsed. */
export function instantOf(stamp: string | null): number | null {
  const micros = stamp === null ? null : parseStamp(stamp);
  return micros === null ? null : Number(micros / 1_000n);
}

/** Progress of one claim as its owner knows it. */
export interface ProgressMark {
  /** Notes progress, and marks it if the last mark is a second old. Returns '' or an errno. */
  touch(digest: string, name: ClaimName): string;
  /**
   * Marks again if the mark on disk is wrong: the wall clock was set, or the last attempt failed. So
   * a wrong clock makes work look wedged or fresh until the next heartbeat, not for ever.
   */
  correct(digest: string, name: ClaimName): void;
  /** The entry was written just now. */
  written(): void;
  /** When progress was last made, on the wall clock of now. */
  atMs(): number;
}

export interface ProgressClocks {
  /** Wall clock, in milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** `markedMs`: the mark of an adopted claim. Without it, the work begins now. */
export function progressMark(
  home: string,
  { now, clock }: ProgressClocks,
  markedMs = now(),
): ProgressMark {
  let progressMs = clock() - Math.max(0, now() - markedMs);
  let onDiskMs = markedMs;
  let triedMs = Number.NEGATIVE_INFINITY;
  const atMs = (): number => now() - (clock() - progressMs);

  function mark(digest: string, name: ClaimName): string {
    const wantedMs = atMs();
    triedMs = clock();
    const code = markEntry(home, digest, name, wantedMs);
    if (code === '') onDiskMs = wantedMs;
    return code;
  }

  return {
    touch(digest, name) {
      progressMs = clock();
      return progressMs - triedMs < MARK_EVERY_MS ? '' : mark(digest, name);
    },
    correct(digest, name) {
      if (Math.abs(atMs() - onDiskMs) > TOLERANCE_MS) mark(digest, name);
    },
    written() {
      onDiskMs = now();
    },
    atMs,
  };
}

const markEntry = (home: string, digest: string, name: ClaimName, ms: number): string =>
  failureOf(() =>
    reach(home, join(claimsFolder(home), digest, nameOf(name)), (entry) =>
      lutimesSync(entry, ms / 1_000, ms / 1_000),
    ),
  );
