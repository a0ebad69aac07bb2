/**
 * What the gateway under context has recorded of its refusals.
 * How a record is written and read is the ledger's.
 */
import { type Receipt, readReceipts } from '@fleet-estop/ledger';
import type { CaseContext } from './case.ts';
import { DoorFailure } from './failure.ts';
import type { Fleet } from './fleet.ts';

/** Milliseconds. They are written before the refusal is answered, if by the gate. */
const RECORDED_MS = 1_000;

export const receiptsOf = ({ home }: Fleet, door: string): readonly Receipt[] =>
  readReceipts(home).receipts.filter((receipt) => receipt.door === door);

/** Exactly so many more than before, and of this hold. */
export async function requireReceipts<Gateway>(
  { fleet, patience }: CaseContext<Gateway>,
  door: string,
  before: readonly Receipt[],
  refusals: number,
  hold: string,
): Promise<void> {
  const newOnes = () => receiptsOf(fleet, door).slice(before.length);
  await patience.until(() => newOnes().length >= refusals, Math.min(patience.ms, RECORDED_MS));
  const found = newOnes();
  if (found.length !== refusals) {
    throw new DoorFailure(
      door,
      `${refusals} refusals at \`${door}\` left ${found.length} receipts`,
      'ask `gate.admit`, and not `gate.ask`, exactly once for each that is refused; the doors do',
    );
  }
  if (found.every(({ holds }) => holds.includes(hold))) return;
  throw new DoorFailure(
    door,
    `a receipt at \`${door}\` does not name the hold that refused`,
    'let the gate write the receipts: `gate.admit` does',
  );
}
