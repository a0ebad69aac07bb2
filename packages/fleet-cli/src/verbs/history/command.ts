/**
 * `fleet history`: shows the changes to holds from the journal, oldest first.
 * Reading is `read-past.ts`, the output `text.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, repeated, valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import { openSession, type Session } from '../../fleet/session.ts';
import { type HistoryOptions, readHistory } from './read-past.ts';
import { historyDocument, historyLines, historyNotices } from './text.ts';

/** Nobody reads more records; `--limit` shows more. */
const DEFAULT_LIMIT = 1000;
/** Default for refusals, where the counts matter more than single ones. */
const DEFAULT_REFUSED = 10;

export const history: Verb = {
  description:
    'Show the changes to the holds of the fleet, the newest last. With -p, show only what bound those profiles, which includes changes to the root. With --refused, show the work that holds refused, from the receipts of gateways.',
  examples: [
    'fleet history',
    'fleet history -p lane-a --since 24h',
    'fleet history --refused --door cron',
  ],
  configure: (command) => {
    addSelection(command, 'only what bound this profile, which may be gone (repeatable)');
    command
      .addOption(valued('--since <duration>', 'only what was done in the last 45m, 2h, 2d'))
      .addOption(
        valued(
          '--limit <count>',
          `only this many, the newest (default: ${DEFAULT_LIMIT}, with --refused ${DEFAULT_REFUSED})`,
          { read: readLimit },
        ),
      )
      .addOption(flag('--refused', 'refused work, counted by profile and door'))
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
    const { refusedAnswer } = await import('./refused-text.ts');
    return refusedAnswer(session, { sinceMs, doors: options.door ?? null, limit });
  }
  if (options.door !== undefined) {
    throw usageError('`--door` without `--refused`', 'give both: the journal records no doors');
  }
  const limit = Number(options.limit ?? DEFAULT_LIMIT);
  const session = openForPast(options, nowMs);
  const facts = readHistory(session, options, { sinceMs, limit });
  return {
    exit: facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => historyDocument(facts),
    lines: (view) => historyLines(facts, view),
    notices: historyNotices(facts),
  };
}

/** A removed profile still has a history. Whether it ever existed is checked against the journal. */
function openForPast(options: HistoryOptions, nowMs: number): Session {
  if (options.profile === undefined) return openSession(options, nowMs);
  return openSession({ ...options, allowMissing: true }, nowMs);
}

function readLimit(text: string): string {
  if (/^[1-9]\d{0,6}$/.test(text)) return text;
  throw usageError(`\`--limit ${text}\` is not a count`, 'give a number from 1 to 9999999');
}
