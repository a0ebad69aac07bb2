/**
 * Finds in the journal which holds an operation placed, for `resume --undo`.
 * Each is lifted by its id, so a hold that was changed since stays.
 */
import {
  FleetError,
  isProfileName,
  type JournalRecord,
  type LiftSelection,
  readJournal,
} from '@fleet-estop/sentinel-core';
import { usageError } from '../../cli/values.ts';
import type { Session } from '../../fleet/session.ts';
import { type Target, targetOf } from '../../fleet/targets.ts';

/** One hold to lift, or one that the operation only changed. */
export interface Step {
  readonly target: Target;
  readonly asked: LiftSelection;
  /** With --undo. */
  readonly placed?: { readonly holder: string | null; readonly onlyChanged: boolean };
}

/**
 * Throws if the journal does not have the operation, or it placed no hold. `gone`: profiles that no
 * longer exist.
 */
export function planUndo(session: Session, operation: string): { steps: Step[]; gone: string[] } {
  const records = recordsOf(session.root.root, operation);
  const placing = records.filter(({ event }) => event === 'arm' || event === 're-arm');
  if (placing.length === 0) {
    throw usageError(
      `operation \`${operation}\` placed no hold`,
      'what was lifted is placed again with `fleet pause`',
    );
  }
  const gone = new Set<string>();
  const steps = placing.flatMap(({ event, profile, holds }) => {
    if (profile !== null && !isThere(session, profile)) {
      gone.add(profile);
      return [];
    }
    const onlyChanged = event === 're-arm';
    return targetOf(session.root.root, profile).flatMap((target) =>
      holds.map(
        ({ id, holder }): Step => ({
          target,
          asked: { id },
          placed: { holder, onlyChanged },
        }),
      ),
    );
  });
  return { steps, gone: [...gone] };
}

function recordsOf(root: string, operation: string): JournalRecord[] {
  const records: JournalRecord[] = [];
  const unread: string[] = [];
  for (const found of readJournal(root)) {
    if (found.kind === 'unreadable') unread.push(`${found.file} (${found.why})`);
    else if (found.kind !== 'corrupt' && found.record.operation === operation) {
      records.push(found.record);
    }
  }
  // The unreadable part may have records of this operation, and half an undo is not what was asked for.
  if (unread.length > 0) {
    throw new FleetError('SCOPE_UNUSABLE', `the journal cannot be read: ${unread.join(', ')}`, {
      hint: 'lift one hold by its id with --hold, which `fleet status --json` names',
    });
  }
  if (records.length > 0) return records;
  throw usageError(
    `there is no operation \`${operation}\` in this fleet's journal`,
    'look for it with `fleet history`; --hold lifts one hold by its id',
  );
}

const isThere = ({ selection: { listing } }: Session, profile: string): boolean =>
  isProfileName(profile) &&
  (listing.unreadable !== undefined || listing.profiles.some(({ name }) => name === profile));
