/**
 * What an actor is: one process, and the one operation that it runs.
 * Those that scenarios are made of are in `catalogue.ts`.
 */

import type { ModelDisk } from './model-disk.ts';
import type { ArmRequest, LiftOptions, LiftSelection } from './protocol.ts';

export interface Actor {
  /** One letter; begins every name that it makes. */
  readonly id: string;
  /** Its place among the actors of a scenario. */
  readonly index: number;
  /** Its kind and its id, for traces. */
  readonly name: string;
  readonly kind: string;
  /** `library` may be killed at any step; `foreign` knows nothing of the protocol; `check` only looks. */
  readonly role: 'library' | 'check' | 'foreign';
  readonly run: (disk: ModelDisk) => unknown;
  readonly arm?: ArmRequest;
  readonly lift?: LiftSelection & LiftOptions;
  /** Removes others' staging folders. */
  readonly sweeps?: true;
  /** Writes into a file that stands. */
  readonly writesInPlace?: true;
  /** What it is told of an owner makes no difference: it takes the tenure over in any case. */
  readonly forces?: true;
}
