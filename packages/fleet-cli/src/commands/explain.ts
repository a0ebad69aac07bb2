/**
 * `fleet explain`: every hold of a chain, what it decides for a user and why, and what would lift it.
 * How that is shown is `render/explain.ts`.
 */
import { readRegister, type WorkRecord } from '@fleet-estop/ledger';
import {
  admit,
  DEFAULT_LANE,
  type Ruling,
  explain as rulingsFor,
} from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT } from '../exit-codes.ts';
import { readFleet } from '../fleet-lanes.ts';
import { type CameBack, cameBack } from '../history/come-back.ts';
import { valued } from '../input/flags.ts';
import type { SelectionOptions } from '../input/selection.ts';
import { readUser } from '../input/values.ts';
import { explainDocument, explainLines, explainNotices } from '../render/explain.ts';
import { byAge } from '../render/work.ts';
import { type GlobalOptions, openSession, profileOfHome, type Session } from '../session.ts';
import { isHeld, type Lane, notSeenIn } from '../state.ts';
import { type Watched, watchedLanes } from '../watcher/watched.ts';
import { addSelection, type Verb } from './verb.ts';

interface ExplainOptions extends GlobalOptions, SelectionOptions {
  readonly user?: string;
}

export interface ExplainedLane {
  readonly lane: Lane;
  readonly rulings: readonly Ruling[];
  readonly admitted: boolean;
  readonly work: WorkInHand;
}

/** What its gateways have in hand by the register in its home, which needs no watcher. */
export interface WorkInHand {
  readonly count: number;
  /** Of `count`: nobody here can tell whether they run, so they count. */
  readonly unproven: number;
  /** There may be more: part of the register could not be read. */
  readonly complete: boolean;
  /** null: nothing is in hand that can be read. */
  readonly oldest: WorkRecord | null;
}

export interface ExplainFacts {
  readonly session: Session;
  /** null: no user was named, so nobody is admitted by name. */
  readonly user: string | null;
  readonly explained: readonly ExplainedLane[];
  /** Where only the root was asked about: the profiles that have holds of their own. */
  readonly heldAlone: readonly string[];
  /** What is known of the gateways of those lanes, of all where only the root was asked about. */
  readonly watched: Watched;
  /** Holds that the journal knows as ended. */
  readonly cameBack: CameBack;
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
  const { root, lanes } = readFleet(session);
  const user = options.user ?? null;
  const asked = session.selection.profiles === null ? [root] : lanes;
  const explained = asked.map((lane) => explainLane(lane, user));
  const heldAlone = session.selection.profiles === null ? ownHolds(lanes) : [];
  const { watched } = await watchedLanes({ session, root, lanes });
  const states = asked.flatMap((lane) => lane.states);
  const back = cameBack(session.root.root, session.disk, states);
  const facts = { session, user, explained, heldAlone, watched, cameBack: back };
  const readable = asked.every(({ states }) => states.every((s) => notSeenIn(s) === null));
  return {
    exit: readable ? EXIT.done : EXIT.unreadable,
    document: () => explainDocument(facts),
    lines: (view) => explainLines(facts, view),
    notices: explainNotices(facts),
  };
}

function explainLane(lane: Lane, user: string | null): ExplainedLane {
  // Served from the root itself, work is the lane `default`'s.
  const applicant = { principal: user, profile: lane.profile ?? DEFAULT_LANE };
  const rulings = rulingsFor(lane.states, applicant);
  const { admitted } = admit(lane.states, applicant);
  return { lane, rulings, admitted, work: workInHand(lane) };
}

/** The nearest scope of a lane lies in the home that its gateways serve. */
function workInHand({ states: [nearest] }: Lane): WorkInHand {
  if (nearest === undefined) return { count: 0, unproven: 0, complete: true, oldest: null };
  const { work, complete } = readRegister(nearest.scope.dir);
  const inHand = work.filter(({ fate }) => fate !== 'abandoned').sort(byAge);
  const unproven = inHand.filter(({ fate }) => fate === 'unproven').length;
  return { count: inHand.length, unproven, complete, oldest: inHand[0] ?? null };
}

const ownHolds = (lanes: readonly Lane[]): string[] =>
  lanes.flatMap(({ profile, states: [own] }) =>
    profile !== null && own?.scope.kind === 'profile' && isHeld([own]) ? [profile] : [],
  );
