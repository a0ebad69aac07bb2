/**
 * `fleet history --refused`: the work that holds refused, counted by profile and door, and the newest
 * refusals. It asks no watcher and no gateway.
 * Counting is `count-refused.ts`; the format of receipts is the ledger's.
 */

import type { Receipt } from '@fleet-estop/ledger';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { rootJson } from '../../fleet/json.ts';
import type { Session } from '../../fleet/session.ts';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { type Cell, type Column, table } from '../../text/table.ts';
import { localTime } from '../../text/time.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import {
  type RefusedFacts,
  type RefusedOptions,
  readRefusals,
  type Tally,
} from './count-refused.ts';

const TALLIES: readonly Column[] = [
  { title: 'PROFILE', minWidth: 8 },
  { title: 'DOOR', minWidth: 16 },
  { title: 'REFUSED' },
  { title: 'FIRST' },
  { title: 'LAST' },
];
const NEWEST: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'PROFILE', minWidth: 8 },
  { title: 'DOOR', minWidth: 16 },
  { title: 'WHO', minWidth: 6 },
  { title: 'HOLD', minWidth: 6 },
];

export function refusedAnswer(session: Session, options: RefusedOptions): Answer {
  const facts = readRefusals(session, options);
  const { profiles, listing } = session.selection;
  const isListed = profiles !== null || listing.unreadable === undefined;
  return {
    exit: isListed && facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => refusedDocument(facts),
    lines: (view) => refusedLines(facts, view),
    notices: refusedNotices(facts),
  };
}

function refusedLines(facts: RefusedFacts, view: View): string[] {
  const { session, tallies, newest } = facts;
  const { root, source } = session.root;
  const lines = [`root ${visible(root)} (${source})`, ''];
  if (tallies.length === 0) {
    // Not "nothing was refused": a gateway may write no receipts, and old ones are removed.
    lines.push('no receipt of a refusal matches');
  } else {
    const total = receiptsOf(tallies);
    lines.push(...table(view, TALLIES, tallies.map(tallyCells), ['PROFILE', 'DOOR']), '');
    lines.push(
      newest.length < total ? `the newest ${newest.length} of ${total}:` : 'each of them:',
    );
    lines.push(
      ...table(view, NEWEST, newest.map(receiptCells), ['HOLD', 'WHO', 'PROFILE', 'DOOR']),
    );
  }
  for (const name of session.selection.missing) {
    lines.push('', `skipped ${name}: there is no such profile`);
  }
  return lines;
}

const receiptsOf = (tallies: readonly Tally[]): number =>
  tallies.reduce((sum, { refused, skipped }) => sum + refused + skipped, 0);

const tallyCells = ({ profile, door, refused, skipped, first, last }: Tally): Cell[] => [
  { text: visible(profile) },
  { text: visible(door) },
  { text: skipped === 0 ? String(refused) : `${refused}, and ${skipped} skipped` },
  { text: localTime(first.atMs) },
  { text: localTime(last.atMs) },
];

function receiptCells({ atMs, profile, door, principal, holds, skipped }: Receipt): Cell[] {
  const [hold, ...others] = holds;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const how = skipped ? ', skipped at its lift' : '';
  return [
    { text: localTime(atMs) },
    { text: visible(profile) },
    { text: visible(door) },
    { text: principal === null ? '-' : visible(principal) },
    { text: hold === undefined ? '-' : `${visible(hold)}${more}${how}` },
  ];
}

/** For stderr: what is missing in the counts. */
function refusedNotices({ session, corrupt, unreadable, pruned }: RefusedFacts): string[] {
  const { profiles, listing } = session.selection;
  const unlisted = profiles === null ? listing.unreadable : undefined;
  return [
    ...(unlisted === undefined
      ? []
      : [
          `the profiles cannot be listed, and the receipts of all of them are missing: ${unlisted}`,
        ]),
    ...pruned.map(
      (profile) =>
        `older receipts of ${profile} may have been removed to make room, so more may have been refused than is counted`,
    ),
    ...corrupt.map(
      ({ profile, count }) =>
        `skipped ${counted(count, 'line')} of the receipts of ${profile}: no receipt can be read there`,
    ),
    ...unreadable.map(({ profile, why }) => {
      const [, file = '', errno = ''] = /^(.*): (.*)$/s.exec(why) ?? ['', why, 'unknown'];
      return `receipts of ${profile} are missing: ${visible(file)} cannot be read: ${visible(unreadText(errno))}`;
    }),
  ];
}

function refusedDocument(facts: RefusedFacts): { [key: string]: Json } {
  const { session, options, tallies, newest, corrupt, unreadable, pruned } = facts;
  const { profiles, listing } = session.selection;
  return {
    schema: 'fleet/refused/v1',
    ...rootJson(session.root),
    doors: options.doors,
    refused: tallies.reduce((sum, { refused }) => sum + refused, 0),
    counts: tallies.map(({ profile, door, refused, skipped, first, last }) => ({
      profile,
      door,
      refused,
      skipped,
      first_at: first.at,
      last_at: last.at,
    })),
    newest: newest.map(({ at, profile, door, principal, holds, skipped, pid, instance }) => ({
      at,
      profile,
      door,
      principal,
      holds,
      skipped: skipped === true,
      pid,
      instance,
    })),
    omitted: receiptsOf(tallies) - newest.length,
    pruned,
    corrupt: corrupt.map(({ profile, count }) => ({ profile, lines: count })),
    unreadable: unreadable.map(({ profile, why }) => ({ profile, why })),
    profiles_unreadable: profiles === null ? (listing.unreadable ?? null) : null,
    skipped: session.selection.missing,
  };
}
