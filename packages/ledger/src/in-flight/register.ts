/**
 * What a register is, to the gateway that has it open: types only.
 * How it is opened is `open-register.ts`; what others see of it is `read-register.ts`.
 */
import type { RegisterRead, WorkRecord } from './read-register.ts';

export interface RegisterOptions {
  /** The gateway's name for itself, as it says it to the watcher. */
  readonly instance?: string;
  /** Name and version. */
  readonly software?: string;
  /** After a silence this long, work whose process cannot be seen is unproven. 15 s. */
  readonly leaseMs?: number;
  /**
   * true: the author promises that no other process serves this home, as in a container that has it
   * for itself. Then work of another owner whose process cannot be seen is cut off, at once. Else it
   * counts until somebody removes its claim.
   */
  readonly alone?: boolean;
  /** Work that goes on without a record. Once for each, soon after it was found. */
  readonly onUnrecorded?: (unrecorded: Unrecorded) => void;
  /** What was found later than at the start, of another gateway of this home that was killed. */
  readonly onFound?: (found: PredecessorWork) => void;
  readonly now?: () => number;
}

export interface Unrecorded {
  readonly door: string;
  readonly id: string;
  /** An errno; or `stands`: its record was removed, and another has begun the same meanwhile. */
  readonly why: string;
}

/** What predecessors left that are certainly gone. */
export interface PredecessorWork {
  /** Ended with its process. One register tells it, and only once. */
  readonly cutOff: readonly WorkRecord[];
  /** Runs on in a worker: it is counted here until that ends. */
  readonly adopted: readonly WorkRecord[];
}

export interface WorkToBegin {
  readonly door: string;
  /** Unique within its door, of any length; of more than 256 characters only the first are told. */
  readonly id: string;
  readonly principal?: string | null;
  /** The worker process that it lives in; this process, unless given. */
  readonly on?: number;
}

/** Only this object can end what it began. */
export interface Claim {
  readonly owner: string;
  /** false: it is known to this process alone, and tried again at each heartbeat. */
  readonly recorded: boolean;
  /**
   * From now on the work lives in this worker process, and may outlive this one. false: no such
   * process, or the claim is no longer ours; nothing has changed.
   */
  follow(pid: number): boolean;
  /** Idempotent. false: it was no longer ours (ended before, given to a successor, or removed). */
  end(): boolean;
}

export interface Register {
  readonly owner: string;
  readonly found: PredecessorWork;
  /**
   * null: this very work is in hand already, or that cannot be ruled out. Synchronous: five system
   * calls, and two to end it. Throws VALUE_INVALID for an empty door or id.
   */
  begin(work: WorkToBegin): Claim | null;
  /**
   * Its own work, what it adopted, and what may run in this home without an owner that answers for
   * it; what cannot be read counts as one. As of the last heartbeat, for others' work.
   */
  count(): number;
  list(): RegisterRead;
  /** Work in hand is not ended by it, and stays recorded until it ends or this process does. */
  close(): void;
}
