/**
 * Work in hand as its author sees it.
 * The claim on disk is the ledger's; the signal is `signals.ts`.
 */

/** A claim on a piece of work. Only this object can end it. */
export interface WorkInHand {
  readonly owner: string;
  /** false: the disk refused the record, so only this process knows of it. Recording is retried. */
  readonly recorded: boolean;
  /** Moves the work to this worker process. false: no such process, or the claim is no longer ours. */
  follow(pid: number): boolean;
  /**
   * Says that the work makes progress; recorded at most once a second. false: the claim is no longer ours.
   */
  touch(): boolean;
  /**
   * Aborted with a `WorkAborted` if another owner has taken the claim, or if the gateway is about to be
   * restarted and the work is cut. Ending the work is still up to you.
   */
  readonly signal: AbortSignal;
  /** Idempotent. false: the claim was no longer ours (already ended, or taken by a successor). */
  end(): boolean;
}
