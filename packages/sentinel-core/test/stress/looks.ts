/**
 * One look from outside at the folder that the others hammer, and what it must find.
 * What a holder demands of its own hold is `own-hold.ts`.
 */
import { lstatSync } from 'node:fs';
import { check } from '../../src/disk/check.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { everyoneLifts } from './everyone.ts';
import type { Ledger } from './ledger.ts';
import { holdOf, isPlain, isPossible, mayHaveExpired, pageOf, remains } from './own-hold.ts';
import { PERMANENT, type PhaseName, phaseOf } from './phases.ts';

interface Look {
  readonly scope: string;
  readonly phase: PhaseName;
  readonly ledger: Ledger;
  readonly disk: DiskPort;
  readonly by: string;
}

export function lookOnce({ scope, phase, ledger, disk, by }: Look): void {
  const violation = (what: string, context: object) =>
    ledger.violation({ by, what, ...context, disk: remains(scope) });

  const holders = phaseOf(phase).roles.filter(({ kind }) => kind === 'holder');
  const before = holders.map(({ name }) => pageOf(ledger, name).read());
  const found = check(disk, scope);
  const begun = everyoneLifts(ledger).begun();
  ledger.count('looks');
  if (found.engaged && found.aside === true) ledger.count('aside');
  if (found.engaged && found.unreadable === 'unsettled') ledger.count('unsettled');

  for (const [at, { name }] of holders.entries()) {
    const page = before[at];
    const left = page?.left;
    // Only what stood from before the look until after it can be demanded of it.
    if (page == null || left == null || page.pending !== null || mayHaveExpired(left)) continue;
    if (pageOf(ledger, name).read()?.serial !== page.serial) continue;
    if (begun > page.everyoneOver) continue;
    ledger.count('looks-at-holds');
    if (!found.engaged) violation(`free while the hold of ${name} stands`, { page, found });
    else if (isPlain(found) && !isPossible(left, holdOf(found, name), false)) {
      violation(`without the hold of ${name}`, { page, found });
    }
  }

  if (phase !== 'keep') return;
  const permanent = holdOf(found, PERMANENT.holder);
  if (!found.engaged) violation('free while the permanent hold stands', { found });
  else if (found.unreadable !== 'unsettled') {
    // Not even aside: ESTOP stands all the time here, so every answer comes from it.
    if (permanent?.allow?.userIds.join() !== PERMANENT.userId || permanent.expiresAt !== null) {
      violation('without the permanent hold', { found });
    }
  }
  // What plain readers see, and older tools: the file itself.
  if (lstatSync(`${scope}/ESTOP`, { throwIfNoEntry: false }) === undefined) {
    violation('ESTOP is missing', { found });
  }
}
