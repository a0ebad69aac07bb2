/**
 * `fleet status`: what holds in the root and in every profile, or in those named with -p.
 * How that is shown is `render/status.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type FleetFacts, readFleet } from '../fleet-lanes.ts';
import { flag, valued } from '../input/flags.ts';
import type { SelectionOptions } from '../input/selection.ts';
import { refusal } from '../input/values.ts';
import { statusDocument, statusLines, statusNotices } from '../render/status.ts';
import { type GlobalOptions, openSession } from '../session.ts';
import { isHeld, type Lane, notSeenIn } from '../state.ts';
import { type Watched, type WatchedLanes, watchedLanes, withTold } from '../watcher/watched.ts';
import { addSelection, type Verb } from './verb.ts';

const ONLY = ['paused', 'running', 'unreadable'] as const;
type Only = (typeof ONLY)[number];

interface StatusOptions extends GlobalOptions, SelectionOptions {
  readonly watch?: true;
  readonly only?: Only;
  readonly by?: 'holder';
}

export interface StatusFacts extends FleetFacts {
  /** null: every lane is shown. */
  readonly only: Only | null;
  /** Lanes that are shown; all of them are counted. */
  readonly shown: readonly Lane[];
  /** What is known of gateways, or why nothing is; null: nobody was asked. */
  readonly watched: Watched | null;
}

export const status: Verb = {
  description: 'Show what holds in the whole fleet, or in the profiles named with -p.',
  examples: [
    'fleet status',
    'fleet status -p lane-a',
    'fleet status --by holder',
    'fleet status --watch --only paused',
  ],
  configure: (command) => {
    addSelection(command, 'show this profile only (repeatable)');
    command.addOption(flag('--watch', 'show each new state until interrupted')).addOption(
      valued('--only <state>', `show only lanes that are ${ONLY.join(', ')}`, {
        read: readOnly,
        repeat: 'same',
      }),
    );
    command.addOption(
      valued('--by <what>', 'holder: every hold by whose it is, and which may be forgotten', {
        read: readBy,
        repeat: 'same',
      }).conflicts(['watch', 'only']),
    );
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<StatusOptions>();
  if (options.watch) {
    if (options.quiet) throw refusal('`--watch` with `--quiet`', 'leave one of them out');
    const { watchStatus } = await import('../watch/watch-status.ts');
    return watchStatus({
      read: (atMs) => factsOf(options, atMs),
      withTold: (facts, ...told) => withGateways(facts, withTold(facts, ...told)),
      exitOf: exitOfStatus,
      ...options,
    });
  }
  const ofDisk = factsOf(options, nowMs);
  const facts = withGateways(ofDisk, await watchedLanes(ofDisk));
  if (options.by !== undefined) {
    const { byHolderJson, byHolderLines } = await import('../render/by-holder.ts');
    return {
      exit: exitOfStatus(facts),
      document: () => ({ ...statusDocument(facts), holders: byHolderJson(facts) }),
      lines: (view) => byHolderLines(facts, view),
      notices: statusNotices(facts),
    };
  }
  return {
    exit: exitOfStatus(facts),
    document: () => statusDocument(facts),
    lines: (view) => statusLines(facts, view),
    notices: statusNotices(facts),
  };
}

function factsOf(options: StatusOptions, nowMs: number): StatusFacts {
  const only = options.only ?? null;
  const facts = readFleet(openSession(options, nowMs));
  const shown = facts.lanes.filter((lane) => isShown(only, lane));
  return { ...facts, only, shown, watched: null };
}

const withGateways = (facts: StatusFacts, { lanes, watched }: WatchedLanes): StatusFacts => ({
  ...facts,
  lanes,
  shown: lanes.filter((lane) => isShown(facts.only, lane)),
  watched,
});

function isShown(only: Only | null, { states }: Lane): boolean {
  switch (only) {
    case null:
      return true;
    case 'paused':
      return isHeld(states);
    case 'running':
      return !isHeld(states);
    case 'unreadable':
      return states.some((state) => notSeenIn(state) !== null);
  }
}

/** Whether every state that was asked for could be read, and which profiles there are. */
function exitOfStatus({ session, root, lanes }: FleetFacts): ExitCode {
  const { profiles, listing } = session.selection;
  if (profiles === null && listing.unreadable !== undefined) return EXIT.unreadable;
  const readable = [root, ...lanes].every(({ states }) =>
    states.every((state) => notSeenIn(state) === null),
  );
  return readable ? EXIT.done : EXIT.unreadable;
}

function readOnly(text: string): string {
  if (ONLY.some((only) => only === text)) return text;
  throw refusal(`\`--only ${text}\` is not known`, `use one of ${ONLY.join(', ')}`);
}

function readBy(text: string): string {
  if (text === 'holder') return text;
  throw refusal(`\`--by ${text}\` is not known`, 'the inventory of holds is `--by holder`');
}
