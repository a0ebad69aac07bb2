/**
 * What a hold is, once it has been read.
 * How it is written in a sentinel's body, and what older readers make of it, is `body.ts`.
 */
import type { JsonObject } from './json.ts';

/** Who may pass a hold. `profiles` narrows and never grants; absent, it does not narrow. */
export interface Allow {
  readonly userIds: readonly string[];
  readonly profiles?: readonly string[];
}

/** When a deadline was set, by both clocks. */
export interface ClockStamp {
  readonly boot: string;
  readonly uptimeMs: number;
  readonly wallMs: number;
}

/** Which process placed a hold: a record for people, never an authority. */
export interface Actor {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** What was used: `fleet pause`, a library name, … */
  readonly via: string;
}

export interface Hold {
  /** Fresh on every arm. A hold that no body names is `anon-<inode>`. */
  readonly id: string;
  /** Who may lift it by default; null: anonymous (an older tool's, or a `touch`). */
  readonly holder: string | null;
  readonly reason: string | null;
  /** ISO 8601 text as it stands on disk, which may be nonsense; null where absent. */
  readonly engagedAt: string | null;
  /** Text as it stands on disk. A text that cannot be read never expires. */
  readonly expiresAt: string | null;
  /** Milliseconds since the epoch, rounded up; null: it never expires. */
  readonly expiresAtMs: number | null;
  /** When the deadline was set, by the clock of the boot as well; absent where nobody wrote it down. */
  readonly clock?: ClockStamp;
  /** null: nobody passes. */
  readonly allow: Allow | null;
  readonly actor: Actor | null;
  /** An errno code or `not-json`, `too-large`, …, where the sentinel or this entry could not be read. */
  readonly unreadable?: string;
  /** The entry as parsed, with the fields this version does not know: a rewrite keeps them. */
  readonly raw: JsonObject;
}

/** Whose hold it is where no holder is named, and who lifts what nobody signed. */
export const DEFAULT_HOLDER = 'operator';
