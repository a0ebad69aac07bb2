/**
 * `fleet status`: shows the holds in the root and in every profile, or in those named with -p.
 * The output is `text.ts` and `by-holder.ts`; `--watch` is `watch.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { flag, valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { readFleet } from '../../fleet/read-fleet.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession } from '../../fleet/session.ts';
import { watchedProfiles, withAnswer } from '../../watcher-client/watched.ts';
import { exitOfStatus, isShown, ONLY, type Only, type StatusFacts, withGateways } from './facts.ts';
import { statusDocument, statusLines, statusNotices } from './text.ts';

interface StatusOptions extends GlobalOptions, SelectionOptions {
  readonly watch?: true;
  readonly only?: Only;
  readonly by?: 'holder';
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
      valued('--only <state>', `show only profiles that are ${ONLY.join(', ')}`, {
        read: readOnly,
        repeat: 'same',
      }),
    );
    command.addOption(
      valued('--by <what>', 'holder: every hold by holder, and which may be forgotten', {
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
    if (options.quiet) throw usageError('`--watch` with `--quiet`', 'leave one of them out');
    const { watchStatus } = await import('./watch.ts');
    return watchStatus({
      read: (atMs) => factsOf(options, atMs),
      withAnswer: (facts, ...answer) => withGateways(facts, withAnswer(facts, ...answer)),
      exitOf: exitOfStatus,
      ...options,
    });
  }
  const ofDisk = factsOf(options, nowMs);
  const facts = withGateways(ofDisk, await watchedProfiles(ofDisk));
  if (options.by !== undefined) {
    const { byHolderJson, byHolderLines } = await import('./by-holder.ts');
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
  const shown = facts.profileStates.filter((profileState) => isShown(only, profileState));
  return { ...facts, only, shown, work: new Map(), watched: null };
}

function readOnly(text: string): string {
  if (ONLY.some((only) => only === text)) return text;
  throw usageError(`\`--only ${text}\` is not known`, `use one of ${ONLY.join(', ')}`);
}

function readBy(text: string): string {
  if (text === 'holder') return text;
  throw usageError(`\`--by ${text}\` is not known`, 'use --by holder');
}
