/**
 * `fleet history`: what was done to the holds of the fleet, oldest first, as its journal tells it.
 * How that is shown is `verbs/history/text.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, repeated, valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { openSession, type Session } from '../../fleet/session.ts';
import { type HistoryOptions, read } from './read-past.ts';
import { historyDocument, historyLines, historyNotices } from './text.ts';

/** So many are no longer read by anybody, and more would have to be asked for. */
const DEFAULT_LIMIT = 1000;
/** Of refusals: their counts say more than each of them. */
const DEFAULT_REFUSED = 10;

export const history: Verb = {
  description:
    'Show what was done to the holds of the fleet, the newest last; with -p, what bound those profiles, and so what was done to the root as well. With --refused, what those holds kept back, by the receipts of gateways.',
  examples: [
    'fleet history',
    'fleet history -p lane-a --since 24h',
    'fleet history --refused --door cron',
  ],
  configure: (command) => {
    addSelection(
      command,
      'only what bound this profile (repeatable), which need not be there still',
    );
    command
      .addOption(valued('--since <duration>', 'only what was done in the last 45m, 2h, 2d'))
      .addOption(
        valued(
          '--limit <count>',
          `only the newest so many (default: ${DEFAULT_LIMIT}, with --refused ${DEFAULT_REFUSED})`,
          { read: readLimit },
        ),
      )
      .addOption(flag('--refused', 'what was refused, counted by profile and door'))
      .addOption(repeated('--door <name>', 'with --refused: only at this door (repeatable)'));
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<HistoryOptions>();
  const sinceMs =
    options.since === undefined ? null : nowMs - readDurationMs('--since', options.since);
  if (options.refused) {
    const limit = Number(options.limit ?? DEFAULT_REFUSED);
    const session = openSession(options, nowMs);
    const { refused } = await import('./refused.ts');
    return refused(session, { sinceMs, doors: options.door ?? null, limit });
  }
  if (options.door !== undefined) {
    throw usageError('`--door` without `--refused`', 'give both: a journal knows no doors');
  }
  const limit = Number(options.limit ?? DEFAULT_LIMIT);
  const session = openForPast(options, nowMs);
  const facts = read(session, options, { sinceMs, limit });
  return {
    exit: facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => historyDocument(facts),
    lines: (view) => historyLines(facts, view),
    notices: historyNotices(facts),
  };
}

/** A profile that is gone has a past all the same: whether it ever was, the journal tells. */
function openForPast(options: HistoryOptions, nowMs: number): Session {
  if (options.profile === undefined) return openSession(options, nowMs);
  return openSession({ ...options, allowMissing: true }, nowMs);
}

function readLimit(text: string): string {
  if (/^[1-9]\d{0,6}$/.test(text)) return text;
  throw usageError(`\`--limit ${text}\` is not a count`, 'give a number from 1 to 9999999');
}
