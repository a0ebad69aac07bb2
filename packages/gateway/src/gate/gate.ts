/**
 * The types of a gate and of its answers.
 * The implementation is `open-gate.ts`; ready-made doors on top of it are `doors/`.
 */
import type { MissedChoice, ScopeState } from '@fleet-estop/sentinel-core';
import type { NoticeListener } from '../in-hand/cutting.ts';
import type { DrainListener } from '../in-hand/drains.ts';
import type { Idle } from '../in-hand/when-idle.ts';
import type { WorkInHand } from '../in-hand/work-in-hand.ts';
import type { LinkStatus } from '../link/status.ts';
import type { GateLog } from './gate-log.ts';

export type { Idle, WorkInHand };

/** One named kind of admission. Authors can add names of their own. */
export type Door = 'cron' | 'cron-misfire' | 'cron-webhook' | 'kanban' | 'turn' | (string & {});

export interface Applicant {
  readonly door: Door;
  /** Authenticated identity, compared as exact text; absent or null if unknown. */
  readonly principal?: string | null;
  /** The serving profile. Required if the gate serves several. */
  readonly profile?: string;
}

/** A hold that refused an applicant. Texts are as on disk: escape them before display. */
export interface RefusingHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  /** ISO 8601; null if it has no deadline. */
  readonly expiresAt: string | null;
  /** Why the sentinel could not be read (a word or an errno); null if it was read. */
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
  /** One safe line for people: paused, why, until when, how it ends. */
  readonly notice: string;
  /** The holds that refuse, nearest first; never empty. */
  readonly holds: readonly RefusingHold[];
  /** ISO 8601, the latest deadline of these holds; null if at least one has none. */
  readonly until: string | null;
  /** Seconds for `Retry-After`, from 1 to 60; less than 60 if all holds end sooner. */
  readonly retryAfter: number;
  /**
   * The same text for as long as the same holds refuse. Remember it to do something once per pause. If
   * a sentinel cannot be read, the text stays the same until this gate has read it again.
   */
  readonly engagement: string;
}

export type Admission = Admitted | Refused;

/** A hold that ended since the previous change. */
export interface EndedHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  /** ISO 8601; null if it had no deadline. */
  readonly expiresAt: string | null;
  /**
   * `expired`: its deadline passed. `lifted`: it was removed before its deadline, or had none.
   * `replaced`: its holder placed another hold in that scope.
   */
  readonly by: 'expired' | 'lifted' | 'replaced';
}

/** The state of a profile has changed. */
export interface GateChange {
  readonly profile: string;
  readonly engaged: boolean;
  /** All scopes of the chain, nearest first, as `admit` and `explain` of the core take them. */
  readonly scopes: readonly ScopeState[];
  /** Names the current holds, as `Refused.engagement`; null if there are none. */
  readonly engagement: string | null;
  /**
   * Holds that ended since the previous change; empty at the first. A hold whose sentinel can no longer
   * be read has not ended.
   */
  readonly ended: readonly EndedHold[];
  /**
   * Milliseconds that catch-up work of this profile should wait. After a lift it is a share of
   * `resumeSpreadMs`, so that not everything starts in one tick; while held and at start it is 0.
   */
  readonly resumeAfterMs: number;
  /**
   * At a change to free: what `fleet resume --missed` says about the work that was missed. It comes with
   * the last of several lifts: of the choices for all holds that this gate saw stand and lifted since the
   * profile became held, the most careful counts: `ask`, then `skip`, then `catch-up`. null: nobody has
   * chosen, so the author's default applies; also while held and at start.
   */
  readonly missed: MissedChoice | null;
}

export interface Gate {
  /** The profiles it serves, in the order of `home`. */
  readonly profiles: readonly string[];
  /** The author's log, for doors on top of the gate; absent: there is none. */
  readonly log?: GateLog;
  /**
   * Decides from the disk. A refusal leaves a receipt. Throws PROFILE_UNKNOWN for a profile that the
   * gate does not serve, and nothing else.
   */
  admit(applicant: Applicant): Admission;
  /**
   * Like `admit`, but leaves no receipt. For a status page, where nobody asks for work. A door with two
   * steps calls `admit` at both, since a refusal at the second step is a refusal too.
   */
  ask(applicant: Applicant): Admission;
  /**
   * For schedulers: may new work start at this door now? Logs once per engagement and door, including an
   * engagement that the gate saw begin and end between two calls. Leaves no receipt: no person was
   * refused. After a lift it also answers false, without a log line, while `resumeRate` allows no further
   * start (`startsInMs` is more than 0 then); each true is one start.
   */
  dispatch(door: Door, profile?: string): boolean;
  /**
   * Milliseconds until `resumeRate` allows this profile the next start; 0: now, if nothing holds. Throws
   * PROFILE_UNKNOWN like `admit`, and nothing else.
   */
  startsInMs(profile?: string): number;
  /**
   * Gives back a start that `dispatch` allowed, where nothing was started. Throws PROFILE_UNKNOWN like
   * `admit`, and nothing else.
   */
  returnStart(profile?: string): void;
  /**
   * Leaves a receipt for work that is not made up for, because the lift said `skip`. `holds`: ids of the
   * holds that were lifted. Throws PROFILE_UNKNOWN like `admit`, and nothing else.
   */
  recordSkipped(door: Door, holds: readonly string[], profile?: string): void;
  /**
   * Makes a door visible in the watcher before its first admission. Without `profile`, for every served
   * profile.
   */
  announce(door: Door, profile?: string): void;
  /**
   * Calls the listener once for each profile before it returns, then at each change, deadlines included;
   * works without a watcher. The listener runs before the change is acknowledged to the watcher. Returns
   * a function that removes the listener.
   */
  onChange(listener: (change: GateChange) => void): () => void;
  /**
   * Begins work in hand and records it in the home, where a restarted gateway and the watcher see it.
   * Does not decide about admission: call it after `admit`. Returns null if work with this id is already
   * in hand, or may be.
   */
  begin(work: Work): WorkInHand | null;
  /**
   * The claim of work that a worker of a killed predecessor still does (`onFound`), for a gateway that
   * hears from that worker; null if this gate has not adopted such work.
   */
  adopted(work: Pick<Work, 'door' | 'id' | 'profile'>): WorkInHand | null;
  /**
   * Pieces of work in hand, for one profile or for all. Includes the work that workers of a killed
   * predecessor still do.
   */
  inFlight(profile?: string): number;
  /**
   * Resolves when nothing is in hand, or after `timeoutMs` with what is left; without it, it waits for
   * ever. For one profile or for all. `close` ends the wait. Throws VALUE_INVALID for a time that is not
   * whole milliseconds from 0 to 2,147,483,647.
   */
  onIdle(options?: { readonly timeoutMs?: number; readonly profile?: string }): Promise<Idle>;
  /**
   * Calls the listener when a profile becomes held with work in hand, and with `drained: true` when
   * nothing is left of it; not if the hold is lifted before. At once for each profile that drains now.
   * Returns a function that removes the listener.
   */
  onDrain(listener: DrainListener): () => void;
  /**
   * Calls the listener once for each conversation whose work is cut, before its signal is aborted. Tell
   * the people there, and resolve when they are told. Returns a function that removes the listener.
   */
  onNotice(listener: NoticeListener): () => void;
  /** Status of the link for this profile's fleet. Without `profile`, the worst status of all links. */
  link(profile?: string): LinkStatus;
  /**
   * Stops following the disk and closes the links; idempotent. Says goodbye to the watcher with the work
   * that it leaves undone, and leaves a mark in each home of which that is none. Work in hand continues, and stays recorded until it
   * ends or this process does. `admit` and `ask` still answer.
   */
  close(): void;
}

export interface Work {
  readonly door: Door;
  /** The author's id of this piece of work (a session, a card, a job), unique within its door. */
  readonly id: string;
  readonly principal?: string | null;
  readonly profile?: string;
  /** The owner's address: where its people are told if this work is cut. Default: nobody is told. */
  readonly conversation?: string | null;
  /**
   * Milliseconds without `touch` after which this work is wedged; some seconds at least. Default: it is
   * never judged wedged.
   */
  readonly stallMs?: number | null;
  /** Process id of the worker that does the work, if it can outlive this process. Default: this process. */
  readonly on?: number;
}
