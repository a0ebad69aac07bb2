/**
 * `fleet explain`: shows every hold of a chain, what it decides for a user and why, and what lifts it.
 * The output is `text.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { valued } from '../../cli/flags.ts';
import { readUser } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { readFleet } from '../../fleet/read-fleet.ts';
import { reappearedHolds } from '../../fleet/reappeared-holds.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession, profileOfHome } from '../../fleet/session.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import { watchedProfiles } from '../../watcher-client/watched.ts';
import { explainProfile } from './facts.ts';
import { explainDocument, explainLines, explainNotices } from './text.ts';

interface ExplainOptions extends GlobalOptions, SelectionOptions {
  readonly user?: string;
}

export const explain: Verb = {
  description:
    'Show every hold that binds the whole fleet, or the profiles named with -p: what it decides and why, the file it is in, and what would lift it.',
  examples: ['fleet explain', 'fleet explain -p lane-a', 'fleet explain -p lane-a --user 4711'],
  configure: (command) => {
    addSelection(command, 'explain this profile (repeatable)');
    command.addOption(valued('--user <id>', 'for this user', { read: readUser }));
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const given = command.opts<ExplainOptions>();
  const own = given.profile === undefined ? profileOfHome(given) : undefined;
  const options = own === undefined ? given : { ...given, profile: [own] };
  const session = openSession(options, nowMs);
  const { root, profileStates } = readFleet(session);
  const user = options.user ?? null;
  const asked = session.selection.profiles === null ? [root] : profileStates;
  const explained = asked.map((profileState) => explainProfile(profileState, user));
  const heldAlone = session.selection.profiles === null ? ownHolds(profileStates) : [];
  const { watched } = await watchedProfiles({ session, root, profileStates });
  const states = asked.flatMap((profileState) => profileState.states);
  const back = reappearedHolds(session.root.root, session.disk, states);
  const facts = { session, user, explained, heldAlone, watched, reappearedHolds: back };
  const readable = asked.every(({ states }) => states.every((s) => notSeenIn(s) === null));
  return {
    exit: readable ? EXIT.done : EXIT.unreadable,
    document: () => explainDocument(facts),
    lines: (view) => explainLines(facts, view),
    notices: explainNotices(facts),
  };
}

const ownHolds = (profileStates: readonly ProfileState[]): string[] =>
  profileStates.flatMap(({ profile, states: [own] }) =>
    profile !== null && own?.scope.kind === 'profile' && isHeld([own]) ? [profile] : [],
  );
