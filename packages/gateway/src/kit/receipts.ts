/**
 * Checks the receipts that the gateway under test has written.
 * Their format is the ledger's.
 */
import { type Receipt, readReceipts } from '@fleet-estop/ledger';
import type { CaseContext } from './case.ts';
import { DoorFailure } from './failure.ts';
import type { Fleet } from './fleet.ts';

/** Milliseconds to wait for receipts. The gate writes them before it answers. */
const RECORDED_MS = 1_000;

export const receiptsOf = ({ home }: Fleet, door: string): readonly Receipt[] =>
  readReceipts(home).receipts.filter((receipt) => receipt.door === door);

/** Throws DoorFailure unless exactly `refusals` new receipts exist and each names the hold. */
export async function requireReceipts<Gateway>(
  { fleet, patience }: CaseContext<Gateway>,
  door: string,
  before: readonly Receipt[],
  refusals: number,
  hold: string,
): Promise<void> {
  const newOnes = () => receiptsOf(fleet, door).slice(before.length);
  await patience.until(() => newOnes().length >= refusals, Math.min(patience.ms, RECORDED_MS));
  const receipts = newOnes();
  if (receipts.length !== refusals) {
    throw new DoorFailure(
      door,
      `${refusals} refusals at \`${door}\` left ${receipts.length} receipts`,
      'call `gate.admit`, not `gate.ask`, exactly once for each refused piece of work; the doors do',
    );
  }
  if (receipts.every(({ holds }) => holds.includes(hold))) return;
  throw new DoorFailure(
    door,
    `a receipt at \`${door}\` does not name the hold that refused`,
    'let `gate.admit` write the receipts',
  );
}
