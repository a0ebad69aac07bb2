/**
 * Runs all examinations of a fleet, one after the other. It writes nothing.
 */
import {
  listProfiles,
  nodeDisk,
  profileChain,
  type RootChoice,
  rootScopes,
} from '@fleet-estop/sentinel-core';
import { examineAccess } from './access.ts';
import { examineClock } from './clock.ts';
import { examineFileSystems } from './file-systems.ts';
import type { Check, ExaminedFleet, Finding } from './finding.ts';
import { examineJournal } from './journal.ts';
import { examineLeftovers } from './leftovers.ts';
import { examineNotices } from './notices.ts';
import { examineProfiles } from './profiles.ts';
import { examineReceipts } from './receipts.ts';
import { examineRestarts } from './restarts.ts';
import { examineSentinels } from './sentinels.ts';
import { examineSettings } from './settings-files.ts';
import { examineToken } from './token.ts';
import { examineWatcher } from './watcher.ts';
import { examineWork } from './work.ts';

type Examination = (fleet: ExaminedFleet) => readonly Finding[] | Promise<readonly Finding[]>;

const EXAMINATIONS: readonly (readonly [Check, Examination])[] = [
  ['access', examineAccess],
  ['file-system', examineFileSystems],
  ['lanes', examineProfiles],
  ['sentinels', examineSentinels],
  ['leftovers', examineLeftovers],
  ['settings', examineSettings],
  ['clock', examineClock],
  ['notices', examineNotices],
  ['journal', examineJournal],
  ['work', examineWork],
  ['receipts', examineReceipts],
  ['restarts', examineRestarts],
  ['token', examineToken],
  ['watcher', examineWatcher],
];

export function examinedFleet(root: RootChoice, nowMs: number): ExaminedFleet {
  const listing = listProfiles(root.root);
  const profileScopes = listing.profiles.flatMap(({ name }) =>
    profileChain(root.root, name).scopes.filter(({ kind }) => kind === 'profile'),
  );
  return {
    root,
    listing,
    scopes: [...rootScopes(root.root), ...profileScopes],
    disk: nodeDisk(),
    nowMs,
  };
}

export async function examine(fleet: ExaminedFleet): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, examination] of EXAMINATIONS) {
    try {
      findings.push(...(await examination(fleet)));
    } catch (error) {
      // An unexpected error in one examination must not stop the others.
      const what = `this could not be examined: ${error instanceof Error ? error.message : error}`;
      findings.push({ level: 'problem', check, what, unexamined: true });
    }
  }
  return findings;
}
