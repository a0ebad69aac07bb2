/**
 * What a gate is, to whoever asks it: the words of admission, as types only.
 * How it is answered is `open-gate.ts`; what each kind of door makes of an answer is `doors/`.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import type { LinkStatus } from '../link/status.ts';

/** One named kind of admission; authors may have doors of their own. */
export type Door = 'cron' | 'cron-misfire' | 'cron-webhook' | 'kanban' | 'turn' | (string & {});

export interface Applicant {
  readonly door: Door;
  /** Authenticated identity, compared as exact text; absent or null: none is known. */
  readonly principal?: string | null;
  /** The serving profile; may be left out where the gate serves one only. */
  readonly profile?: string;
}

/** A standing hold, as a notice and a program need it. */
export interface RefusingHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  /** ISO 8601; null: it stands until it is lifted. */
  readonly expiresAt: string | null;
  /** Why the hold could not be read; null where it could. */
  readonly unreadable: string | null;
}

export interface Admitted {
  readonly admitted: true;
  readonly profile: string;
}

export interface Refused {
  readonly admitted: false;
  readonly profile: string;
  readonly door: Door;
  /** For people: that it is paused, why, until when, and how it is lifted. One line. */
  readonly notice: string;
  /** Those that refuse, nearest first; never empty. */
  readonly holds: readonly RefusingHold[];
  /** ISO 8601, when the last of them ends by itself; null: at least one does not. */
  readonly until: string | null;
  /** Seconds, for `Retry-After`: 60, or less where all ends sooner; at least 1. */
  readonly retryAfter: number;
  /**
   * The same text for as long as the same holds refuse: once per engagement is once per this. Of what
   * cannot be looked at, for as long as this gate has not seen that it can be.
   */
  readonly engagement: string;
}

export type Admission = Admitted | Refused;

/** A hold that stood at the change before, and stands no more. */
export interface EndedHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  /** ISO 8601; null: it had no deadline. */
  readonly expiresAt: string | null;
  /**
   * `expired`: its deadline has passed, and nobody need have lifted it. `lifted`: before that, or it had
   * none. `replaced`: its holder has placed another one there.
   */
  readonly by: 'expired' | 'lifted' | 'replaced';
}

/** What holds a profile has changed. */
export interface GateChange {
  readonly profile: string;
  readonly engaged: boolean;
  /** Nearest first, as the core's `admit` and `explain` take them. */
  readonly scopes: readonly ScopeState[];
  /** Of the holds that stand; null: none. */
  readonly engagement: string | null;
  /**
   * Which holds have ended since the change before, and how; none at the first. A hold that cannot be
   * seen any more, since its sentinel cannot be read, has not ended.
   */
  readonly ended: readonly EndedHold[];
  /**
   * Milliseconds that catch-up work of this profile should wait: 0 while held and at start, a share
   * of `resumeSpreadMs` after a lift, so that not everything starts in one tick.
   */
  readonly resumeAfterMs: number;
}

export interface Gate {
  /** The profiles it serves, in the order of `home`. */
  readonly profiles: readonly string[];
  /** Asks the disk. A refusal leaves a receipt. Throws only for a profile it does not serve. */
  admit(applicant: Applicant): Admission;
  /**
   * As `admit`, and leaves no receipt: for a status, where nobody asks for work. A door of two steps
   * asks `admit` at both, for a refusal at the second is a refusal.
   */
  ask(applicant: Applicant): Admission;
  /**
   * For schedulers: may new work start at this door now? Logs once per engagement and door, also for
   * an engagement that was seen to begin and end between two calls. Leaves no receipt: nobody was
   * refused.
   */
  dispatch(door: Door, profile?: string): boolean;
  /**
   * Says that there is such a door before it is first asked, so that people see it. Without a profile:
   * of every one that is served.
   */
  announce(door: Door, profile?: string): void;
  /**
   * Of each profile once before this returns, then at each change; answers how to stop it. Needs no
   * watcher, and tells deadlines too. A change is told before the watcher hears that it is in force.
   */
  onChange(listener: (change: GateChange) => void): () => void;
  /**
   * Begins work in hand, and records it in the home so that a restarted gateway and the watcher know.
   * Asks nothing: what was admitted is begun. null: work with this id is in hand already, and lives, or
   * that cannot be ruled out.
   */
  begin(work: Work): WorkInHand | null;
  /** How much work is in hand, of this profile or of all; what a killed predecessor's workers still do, too. */
  inFlight(profile?: string): number;
  /** Of this profile's fleet. With several fleets and no profile: of the one that is worst off. */
  link(profile?: string): LinkStatus;
  /**
   * Says nothing more to anybody. Work in hand is not ended by it, and is recorded until it ends or
   * this process does. Whoever still asks is answered.
   */
  close(): void;
}

export interface Work {
  readonly door: Door;
  /** The author's name for this piece of work (a session, a card, a job), unique within its door. */
  readonly id: string;
  readonly principal?: string | null;
  readonly profile?: string;
  /** The worker process that it lives in, where it can outlive this one. Default: this process. */
  readonly on?: number;
}

/** A fenced claim: only this object can end what it began, and ending twice is nothing. */
export interface WorkInHand {
  readonly owner: string;
  /** false: it is known to this process alone, for the disk refused. It is tried again. */
  readonly recorded: boolean;
  /** From now on it lives in this worker process. false: no such process, or it is no longer ours. */
  follow(pid: number): boolean;
  /** false: it was no longer ours (ended before, or given to a successor). */
  end(): boolean;
}
