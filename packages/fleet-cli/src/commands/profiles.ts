/**
 * `fleet profiles`: which lanes there are, what their `profile.yaml` says of them, and whether they
 * are held.
 * What holds them and until when is `status`; how this is shown is `render/profiles.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT } from '../exit-codes.ts';
import type { SelectionOptions } from '../input/selection.ts';
import { profilesDocument, profilesLines, profilesNotices } from '../render/profiles.ts';
import { type GlobalOptions, openSession, type Session } from '../session.ts';
import { type ReadProfile, readProfiles } from '../settings.ts';
import { type Lane, notSeenIn, readLane, readRoot } from '../state.ts';
import { addSelection, type Verb } from './verb.ts';

export interface ListedProfile extends ReadProfile {
  readonly lane: Lane;
}

export interface ProfilesFacts {
  readonly session: Session;
  readonly listed: readonly ListedProfile[];
}

export const profiles: Verb = {
  description:
    'List the profiles with their labels, and say what is wrong with their profile.yaml.',
  examples: ['fleet profiles', 'fleet profiles -l tier=batch', 'fleet profiles --json'],
  configure: (command) => addSelection(command, 'list this profile only (repeatable)'),
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const session = openSession(command.opts<GlobalOptions & SelectionOptions>(), nowMs);
  const { disk, selection, root } = session;
  const read = await readProfiles(selection.profiles ?? selection.listing.profiles);
  const rootLane = readRoot(disk, root.root);
  const listed = read.map(({ profile, file }) => ({
    profile,
    file,
    lane: readLane(disk, rootLane, root.root, profile),
  }));
  const facts = { session, listed };
  return {
    exit: isKnown(facts) ? EXIT.done : EXIT.unreadable,
    document: () => profilesDocument(facts),
    lines: (view) => profilesLines(facts, view),
    notices: profilesNotices(facts),
  };
}

/** Whether everything could be read: which profiles there are, their settings, their states. */
function isKnown({ session, listed }: ProfilesFacts): boolean {
  const { profiles: named, listing } = session.selection;
  if (named === null && listing.unreadable !== undefined) return false;
  return listed.every(
    ({ file, lane }) =>
      file.state !== 'rejected' && lane.states.every((state) => notSeenIn(state) === null),
  );
}
