/**
 * `fleet profiles`: lists the profiles with the labels and description from `profile.yaml`, and whether
 * they are held.
 * The holds themselves are shown by `fleet status`; the output is `text.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession } from '../../fleet/session.ts';
import { readProfiles } from '../../fleet/settings.ts';
import { readProfileState, readRootState } from '../../fleet/state.ts';
import { isKnown } from './facts.ts';
import { profilesDocument, profilesLines, profilesNotices } from './text.ts';

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
  const rootState = readRootState(disk, root.root);
  const listed = read.map(({ profile, file }) => ({
    profile,
    file,
    profileState: readProfileState(disk, rootState, root.root, profile),
  }));
  const facts = { session, listed };
  return {
    exit: isKnown(facts) ? EXIT.done : EXIT.unreadable,
    document: () => profilesDocument(facts),
    lines: (view) => profilesLines(facts, view),
    notices: profilesNotices(facts),
  };
}
