/**
 * The document of `fleet pause --json`. Its keys are part of the contract: docs/json.md describes each.
 */
import { rootJson } from '../../fleet/json.ts';
import type { PauseFacts } from '../../pausing/notices.ts';
import { pausingJson } from '../../pausing/results-json.ts';
import type { Json } from '../../text/json.ts';

/** What waiting came to, with `--wait` or `--drain`. */
export function pauseDocument(
  { session, pausings, deadline, settings, operation }: PauseFacts,
  { wait = null, drain = null }: { readonly wait?: Json; readonly drain?: Json },
): { [key: string]: Json } {
  return {
    schema: 'fleet/pause/v1',
    ...rootJson(session.root),
    dry_run: session.dryRun === true,
    operation,
    settings,
    results: pausings.map((pausing) => pausingJson(session, pausing)),
    skipped: session.selection.missing,
    deadline_beyond_dates: deadline.beyondDates !== undefined,
    wait,
    drain,
  };
}
