/**
 * The types of an open register.
 * The implementation is `open-register.ts`; other processes read it with `read-register.ts`.
 */
import type { RegisterRead, WorkRecord } from './read-register.ts';

export interface RegisterOptions {
  /** The gateway's instance name, as sent to the watcher. Default: none. */
  readonly instance?: string;
  /** Name and version of the gateway. Default: none. */
  readonly software?: string;
  /** Milliseconds without a renewal after which work of an invisible process is unproven. Default: 15,000. */
  readonly leaseMs?: number;
  /**
   * true: the author promises that no other process serves this home, as in a container with its own
   * home. Work of another owner whose process cannot be seen is then cut off at once. Otherwise it counts
   * until somebody removes its claim. Default: false.
   */
  readonly alone?: boolean;
  /** Called once for each piece of work that continues without a record. */
  readonly onUnrecorded?: (unrecorded: Unrecorded) => void;
  /** Called if another gateway of this home is killed after the start. */
  readonly onFound?: (found: PredecessorWork) => void;
  readonly now?: () => number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

export interface Unrecorded {
  readonly door: string;
  readonly id: string;
  /** An errno; or `stands`: its record was removed, and another owner has begun the same work. */
  readonly why: string;
}

/** Work of predecessors that are certainly gone. */
export interface PredecessorWork {
  /** Work that ended with its process. Reported once, by one register. */
  readonly cutOff: readonly WorkRecord[];
  /** Work that still runs in a worker. It counts here until the worker ends. */
  readonly adopted: readonly WorkRecord[];
}

export interface WorkToBegin {
  readonly door: string;
  /** Unique within its door, of any length. Readers see at most 256 characters of it. */
  readonly id: string;
  readonly principal?: string | null;
  /** The owner's address: where its people are told if it is cut. Readers see at most 256 characters. */
  readonly conversation?: string | null;
  /**
   * Milliseconds without progress after which this work is wedged. Use some seconds at least: progress is
   * recorded once a second. Default: it is never judged wedged.
   */
  readonly stallMs?: number | null;
  /** Process id of the worker that does the work. Default: this process. */
  readonly on?: number;
}

/** A claim on a piece of work. Only this object can end it. */
export interface Claim {
  readonly owner: string;
  /** false: only this process knows of the work; recording is retried at each heartbeat. */
  readonly recorded: boolean;
  /**
   * Moves the work to this worker process, which may outlive this one. false: no such process, or the
   * claim is no longer ours; nothing has changed.
   */
  follow(pid: number): boolean;
  /**
   * Says that the work makes progress. Recorded at most once a second, without rewriting the record. false:
   * the claim is no longer ours.
   */
  touch(): boolean;
  /**
   * Calls the listener once, soon, if another owner has taken this work, which this process then does
   * without a claim. Seen at a heartbeat at the latest.
   */
  onLost(listener: () => void): void;
  /** Idempotent. false: the claim was no longer ours (ended, taken by a successor, or removed). */
  end(): boolean;
}

export interface Register {
  readonly owner: string;
  readonly found: PredecessorWork;
  /**
   * Begins a piece of work; null if the same work is already in hand, or may be. Synchronous: five system
   * calls, and two to end it. Throws VALUE_INVALID for an empty door or id for an invalid
   * `on`, `conversation` or `stallMs`.
   */
  begin(work: WorkToBegin): Claim | null;
  /**
   * The claim of adopted work, for a gateway that hears from the worker of its predecessor; null if this
   * register has not adopted such work.
   */
  adopted(work: { readonly door: string; readonly id: string }): Claim | null;
  /**
   * Its own work, adopted work, and work in this home that may run without a living owner. An unreadable
   * claim counts as one. The work of others is as of the last heartbeat.
   */
  count(): number;
  /** Its own and adopted work, from memory: texts are not shortened. Reads nothing. */
  held(): readonly WorkRecord[];
  /** All work in this home, including own work that is not recorded. */
  list(): RegisterRead;
  /** Stops the heartbeats. Work in hand continues, and stays recorded until it or this process ends. */
  close(): void;
}
