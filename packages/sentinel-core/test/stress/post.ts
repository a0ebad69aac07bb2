/**
 * What a worker is told by the process that starts it, and what every role has at hand.
 * The roles themselves are `holder.ts`, `bystanders.ts` and `contender.ts`.
 */
import type { DiskPort } from '../../src/disk/port.ts';
import type { Patience } from '../../src/disk/results.ts';
import type { Dice } from './dice.ts';
import type { Ledger } from './ledger.ts';
import type { PhaseName, Role } from './phases.ts';

/** `hard`: processes are killed. `soft`: they abandon everything instead, and rob everybody at sight. */
export type Mode = 'hard' | 'soft';

export interface Orders {
  readonly scope: string;
  readonly ledger: string;
  readonly phase: PhaseName;
  readonly role: Role;
  readonly mode: Mode;
  readonly seed: string;
  /** Which of this role's processes this is: each throws other dice. */
  readonly life: number;
  readonly fsync: boolean;
  /** Whose death is the worker's own. */
  readonly parent: number;
}

/** After this the tenure of a live owner is taken over: rarely, so that both happen. */
export const PATIENCE_MS = 150;

export interface Post {
  readonly orders: Orders;
  readonly ledger: Ledger;
  readonly dice: Dice;
}

export interface Work {
  /** After a start, and after everything was abandoned. */
  begin?(disk: DiskPort): void;
  step(disk: DiskPort): void;
}

/** From an operator in a hurry, whose first try is the last and takes the tenure over, to a patient one. */
export const anyPatience = (dice: Dice): Partial<Patience> => ({
  tries: dice.between(1, 6),
  rounds: dice.between(3, 6),
  waitMs: 0,
});
