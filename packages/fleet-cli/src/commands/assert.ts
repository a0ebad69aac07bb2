/**
 * `fleet assert`: is the root, and is every profile that was asked for, as the script believes?
 * What could not be read is never a pass. How the judgement is shown is `render/assert.ts`.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import { Argument, type Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT, worstOf } from '../exit-codes.ts';
import type { SelectionOptions } from '../input/selection.ts';
import { refusal } from '../input/values.ts';
import { assertDocument, assertLines, assertNotices } from '../render/assert.ts';
import { type GlobalOptions, openSession, type Session } from '../session.ts';
import { isHeld, type Lane, unreadableIn } from '../state.ts';
import { readFleet } from './status.ts';
import { addSelection, type Verb } from './verb.ts';

const CLAIMS = ['paused', 'running', 'held-by', 'free-of'] as const;

export type Assertion =
  | { readonly claim: 'paused' | 'running' }
  | { readonly claim: 'held-by' | 'free-of'; readonly holder: string };

export interface Judgement {
  readonly lane: Lane;
  readonly verdict: 'pass' | 'fail' | 'unreadable';
}

export interface AssertFacts {
  readonly session: Session;
  readonly assertion: Assertion;
  readonly judgements: readonly Judgement[];
  /** Errno: there may be profiles that nobody judged. */
  readonly unknownProfiles: string | null;
}

export const assert: Verb = {
  description:
    'Exit 0 only if the root and every profile, or every profile named with -p, is as claimed: `running` says that nothing holds it.',
  examples: [
    'fleet assert running -p lane-a',
    'fleet assert paused',
    'fleet assert held-by deploy -p lane-a -p lane-b',
    'fleet assert free-of deploy',
  ],
  configure: (command) => {
    command
      .addArgument(new Argument('<claim>', 'what is claimed').choices(CLAIMS))
      .addArgument(new Argument('[holder]', 'of held-by and free-of'));
    addSelection(command, 'judge this profile (repeatable)');
  },
  run,
};

function run(command: Command, nowMs: number): Answer {
  const assertion = readAssertion(command.args);
  const session = openSession(command.opts<GlobalOptions & SelectionOptions>(), nowMs);
  const { root, lanes } = readFleet(session);
  const { profiles, listing } = session.selection;
  if (profiles?.length === 0) {
    throw new FleetError('PROFILE_UNKNOWN', 'no profile that was named exists', {
      hint: 'an assertion about nothing is not true',
    });
  }
  const judged = profiles === null ? [root, ...lanes] : lanes;
  const judgements = judged.map((lane) => judge(assertion, lane));
  const unknownProfiles = profiles === null ? (listing.unreadable ?? null) : null;
  const facts = { session, assertion, judgements, unknownProfiles };
  const codes = judgements.map(({ verdict }) => EXIT_OF[verdict]);
  return {
    exit: worstOf(unknownProfiles === null ? codes : [...codes, EXIT.unreadable]),
    document: () => assertDocument(facts),
    lines: (view) => assertLines(facts, view),
    notices: assertNotices(facts),
  };
}

const EXIT_OF = { pass: EXIT.done, fail: EXIT.notAsAsked, unreadable: EXIT.unreadable } as const;

function readAssertion([claim, holder]: readonly string[]): Assertion {
  switch (claim) {
    case 'paused':
    case 'running':
      if (holder === undefined) return { claim };
      throw refusal(
        `stray word \`${holder}\` after \`${claim}\``,
        `a profile is named with -p: fleet assert ${claim} -p NAME`,
      );
    case 'held-by':
    case 'free-of':
      if (holder !== undefined && holder !== '') return { claim, holder };
      throw refusal(`\`${claim}\` needs a holder`, `fleet assert ${claim} NAME`);
    default:
      throw refusal(`\`${claim}\` cannot be asserted`, `use one of ${CLAIMS.join(', ')}`);
  }
}

/** A state that could not be read counts as held, and still is not known to be as claimed. */
function judge(assertion: Assertion, lane: Lane): Judgement {
  const unreadable = lane.states.some((state) => unreadableIn(state) !== null);
  return { lane, verdict: unreadable ? 'unreadable' : isTrue(assertion, lane) ? 'pass' : 'fail' };
}

function isTrue(assertion: Assertion, { states }: Lane): boolean {
  switch (assertion.claim) {
    case 'paused':
      return isHeld(states);
    case 'running':
      return !isHeld(states);
    case 'held-by':
      return isHeldBy(states, assertion.holder);
    case 'free-of':
      return !isHeldBy(states, assertion.holder);
  }
}

const isHeldBy = (states: Lane['states'], holder: string): boolean =>
  states.some(({ check }) => check.engaged && check.holds.some((hold) => hold.holder === holder));
