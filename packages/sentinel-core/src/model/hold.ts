/**
 * The data of a hold after it was read.
 * `body.ts` reads and writes it in a sentinel's body.
 */
import type { JsonObject } from './json.ts';

/**
 * Who may pass a hold: the principals in `userIds`, compared as exact text. `profiles` narrows and
 * never grants; absent, it does not narrow [10].
 */
export interface Allow {
  readonly userIds: readonly string[];
  readonly profiles?: readonly string[];
}

/**
 * When a deadline was set, by both clocks: the boot's name, milliseconds since that boot, and
 * milliseconds since the epoch. Decision: `2026-11-30-a-wrong-clock.md`.
 */
export interface ClockStamp {
  readonly boot: string;
  readonly uptimeMs: number;
  readonly wallMs: number;
}

/** Which process armed a hold. It is a record for people, never an authority. */
export interface Actor {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** The tool that armed it: `fleet pause`, the name of a library, … */
  readonly via: string;
}

/** A refusal of new work in one scope. */
export interface Hold {
  /** Fresh on every arm. The id of a hold without one in a body is `anon-<inode>`. */
  readonly id: string;
  /** Who may lift it by default. null: anonymous (from an older tool, or a `touch`). */
  readonly holder: string | null;
  readonly reason: string | null;
  /** The ISO 8601 text on disk, which may be nonsense; null: absent. */
  readonly engagedAt: string | null;
  /** The text on disk. A text that cannot be read never expires. */
  readonly expiresAt: string | null;
  /** Milliseconds since the epoch, rounded up. null: it never expires. */
  readonly expiresAtMs: number | null;
  /** When the deadline was set, by both clocks. Absent if its writer did not record it. */
  readonly clock?: ClockStamp;
  /** null: nobody passes. */
  readonly allow: Allow | null;
  readonly actor: Actor | null;
  /** Why the sentinel or this entry could not be read: an errno code, `not-json`, `entry`, …. */
  readonly unreadable?: string;
  /** The parsed entry. A rewrite keeps its fields that this version does not know. */
  readonly raw: JsonObject;
}

/**
 * The holder of a hold for which no holder is named, and the holder who lifts anonymous holds.
 * Decision: `2026-11-30-the-default-holder-is-the-person.md`.
 */
export const DEFAULT_HOLDER = 'operator';
