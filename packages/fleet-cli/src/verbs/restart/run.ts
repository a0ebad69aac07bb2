/** What all groups of one `fleet restart` share. */
import type { RestartRecord } from '@fleet-estop/ledger';
import type { Session } from '../../fleet/session.ts';
import type { Plan } from '../../own-hold/own-hold.ts';
import type { Interruptible } from '../../watcher-client/interruptible.ts';

export interface Run {
  readonly session: Session;
  readonly plan: Plan;
  readonly record: RestartRecord;
  readonly waiting: Interruptible;
  /** How long work may take to end, and the new instance to come. */
  readonly timeoutMs: number;
  readonly drains: boolean;
  readonly settleMs: number;
  /** Prints a step at once. */
  readonly say: (line: string) => void;
  /** Shows what a drain waits for; only one group can at a time. */
  readonly showsDrain: boolean;
}
