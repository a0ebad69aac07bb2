/**
 * What the main process has in hand while the workers hammer the folder.
 * What it does with it is `looks.ts`, `foreign.ts` or `contest.ts`, by phase.
 */
import type { DiskPort } from '../../src/disk/port.ts';
import type { Crew } from './crew.ts';
import type { Dice } from './dice.ts';
import type { Ledger } from './ledger.ts';
import type { PhaseName } from './phases.ts';

export interface Site {
  readonly scope: string;
  readonly phase: PhaseName;
  readonly ledger: Ledger;
  readonly dice: Dice;
  /** The main process's own, which never dies. */
  readonly disk: DiskPort;
  readonly crew: Crew;
  /** Whether to go on. */
  readonly running: () => boolean;
}
