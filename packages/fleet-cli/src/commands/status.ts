/**
 * `fleet status`: what holds in the root and in every profile, or in those named with -p.
 * How that is shown is `render/status.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT } from '../exit-codes.ts';
import type { SelectionOptions } from '../input/selection.ts';
import { statusDocument, statusLines, statusNotices } from '../render/status.ts';
import { type GlobalOptions, openSession, type Session } from '../session.ts';
import { type Lane, readLane, readRoot, unreadableIn } from '../state.ts';
import { addSelection, type Verb } from './verb.ts';

export interface FleetFacts {
  readonly session: Session;
  readonly root: Lane;
  readonly lanes: readonly Lane[];
}

export const status: Verb = {
  description: 'Show what holds in the whole fleet, or in the profiles named with -p.',
  examples: ['fleet status', 'fleet status -p lane-a', 'fleet status --json'],
  configure: (command) => addSelection(command, 'show this profile only (repeatable)'),
  run,
};

function run(command: Command, nowMs: number): Answer {
  const session = openSession(command.opts<GlobalOptions & SelectionOptions>(), nowMs);
  const facts = readFleet(session);
  return {
    exit: isReadable(facts) ? EXIT.done : EXIT.unreadable,
    document: () => statusDocument(facts),
    lines: (view) => statusLines(facts, view),
    notices: statusNotices(facts),
  };
}

/** The root and the selected profiles; all of them where none was selected. */
export function readFleet(session: Session): FleetFacts {
  const { disk, selection } = session;
  const rootDir = session.root.root;
  const root = readRoot(disk, rootDir);
  const profiles = selection.profiles ?? selection.listing.profiles;
  return {
    session,
    root,
    lanes: profiles.map((profile) => readLane(disk, root, rootDir, profile)),
  };
}

/** Whether every state that was asked for could be read, and which profiles there are. */
function isReadable({ session, root, lanes }: FleetFacts): boolean {
  const { profiles, listing } = session.selection;
  if (profiles === null && listing.unreadable !== undefined) return false;
  return [root, ...lanes].every(({ states }) =>
    states.every((state) => unreadableIn(state) === null),
  );
}
