/**
 * What the register of a home says of work in hand. A register that cannot be read whole counts as work.
 */
import { readRegister, type Unreadable, type WorkRecord } from '@fleet-estop/ledger';
import { inHandIn } from '../fleet/work-in-hand.ts';

export interface ProfileWork {
  readonly profile: string;
  /** Oldest first. */
  readonly work: readonly WorkRecord[];
  /** Parts that could not be read, which may contain work; none: all of it was read. */
  readonly unreadable: readonly Unreadable[];
}

export function workOf({ profile, home }: { profile: string; home: string }): ProfileWork {
  const read = readRegister(home);
  return {
    profile,
    work: inHandIn(read),
    unreadable: read.complete ? [] : read.unreadable,
  };
}
