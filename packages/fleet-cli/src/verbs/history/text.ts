/**
 * The output of `fleet history`: one line for each changed hold.
 */
import type { JournalHold, JournalRecord } from '@fleet-estop/sentinel-core';
import { rootJson } from '../../fleet/json.ts';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { type Cell, type Column, table } from '../../text/table.ts';
import { localTime } from '../../text/time.ts';
import type { Style, View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import type { HistoryFacts } from './read-past.ts';

const columnsFor = (offset: string): readonly Column[] => [
  { title: `WHEN (${offset})` },
  { title: 'EVENT', minWidth: 6 },
  { title: 'SCOPE', minWidth: 8 },
  { title: 'HOLDER', minWidth: 8 },
  { title: 'REASON', minWidth: 10, below: true },
  { title: 'BY', minWidth: 10 },
];
const NARROW = ['REASON', 'BY', 'HOLDER', 'SCOPE', 'EVENT'];
/** How many corrupt lines the text lists. */
const MAX_NUMBERS = 10;

export function historyLines(
  { session, records, omitted, vanished }: HistoryFacts,
  view: View,
): string[] {
  const { root, source } = session.root;
  const lines = [`root ${visible(root)} (${source})`, ''];
  if (records.length === 0) {
    lines.push('no record matches');
  } else {
    const offset = offsetOf(session.nowMs);
    const rows = records.flatMap((record) => rowsOf(record, root, offset));
    lines.push(...table(view, columnsFor(offset), rows, NARROW));
  }
  if (omitted > 0) lines.push('', `and ${omitted} before these (--limit)`);
  for (const { record, hold } of vanished) {
    const whose =
      hold.holder === null ? 'an anonymous hold' : `the hold of ${visible(hold.holder)}`;
    lines.push(
      '',
      `gone, and the journal does not say how: ${whose} on ${placeOf(record, root)}, recorded ${localTime(record.atMs)}`,
      '  removed by hand, by a deploy or by `git clean`? no watcher saw it',
    );
  }
  for (const name of session.selection.missing) {
    lines.push('', `skipped ${name}: there is no such profile`);
  }
  return lines;
}

const STYLES: Readonly<Record<string, Style>> = {
  arm: 'yellow',
  're-arm': 'yellow',
  lift: 'green',
};

function rowsOf(record: JournalRecord, root: string, offset: string): Cell[][] {
  const { atMs, event, holds } = record;
  const style = Object.hasOwn(STYLES, event) ? STYLES[event] : undefined;
  const head: Cell[] = [
    { text: whenText(atMs, offset) },
    { text: visible(event), ...(style === undefined ? {} : { style }) },
    { text: placeOf(record, root) },
  ];
  const by: Cell = { text: byText(record) };
  const [first, ...others] = holds.map(holdCells);
  const blank = head.map(() => ({ text: '' }));
  return [
    [...head, ...(first ?? [{ text: '-' }, { text: '-' }]), by],
    ...others.map((cells) => [...blank, ...cells]),
  ];
}

/** The offset is in the title; a time with another offset (summer time) shows its own. */
const whenText = (ms: number, offset: string): string =>
  offsetOf(ms) === offset ? localTime(ms).slice(0, -OFFSET_LENGTH).trimEnd() : localTime(ms);

const OFFSET_LENGTH = '+01:00'.length;
const offsetOf = (ms: number): string => localTime(ms).slice(-OFFSET_LENGTH);

const holdCells = ({ holder, reason }: JournalHold): Cell[] => [
  { text: holder === null ? '(anonymous)' : visible(holder) },
  { text: reason === null ? '-' : visible(reason) },
];

/** A profile's name, or `(root)` or `(cluster)`. */
function placeOf({ profile, scope }: JournalRecord, root: string): string {
  if (profile !== null) return visible(profile);
  return kindOf(scope, root) === 'cluster' ? '(cluster)' : '(root)';
}

/** Judged by the end of the path, because the root may have been moved since. */
function kindOf(scope: string, root: string): 'root' | 'cluster' {
  return scope !== root && scope.endsWith('/cluster') ? 'cluster' : 'root';
}

function byText({ actor, event, operation }: JournalRecord): string {
  if (actor === null) return event === 'expire' ? 'its deadline' : '-';
  const id = operation === null ? '' : ` (${operation})`;
  return visible(`${actor.user}, ${actor.via}${id}`);
}

/** For stderr: what could not be read in the journal. */
export function historyNotices({ corrupt, unreadable }: HistoryFacts): string[] {
  const notices: string[] = [];
  if (corrupt.count > 0) {
    const named = corrupt.lines.slice(0, MAX_NUMBERS);
    const places = named.map(({ file, line, why }) => `${file}:${line} (${why})`).join(', ');
    const more = corrupt.count > named.length ? ', and more' : '';
    const lines = counted(corrupt.count, 'line');
    notices.push(`skipped ${lines} of the journal that cannot be read: ${places}${more}`);
  }
  for (const { file, why } of unreadable) {
    notices.push(
      `.fleet/${file} cannot be read, and its records are missing here: ${unreadText(why)}`,
    );
  }
  return notices;
}

export function historyDocument(facts: HistoryFacts): { [key: string]: Json } {
  const { session, records, omitted, corrupt, unreadable } = facts;
  return {
    schema: 'fleet/history/v1',
    ...rootJson(session.root),
    records: records.map((record) => ({
      at: record.at,
      event: record.event,
      kind: record.profile === null ? kindOf(record.scope, session.root.root) : 'profile',
      profile: record.profile,
      scope: record.scope,
      holds: record.holds.map(({ id, holder, reason, expiresAt }) => ({
        id,
        holder,
        reason,
        expires_at: expiresAt,
      })),
      generation: record.generation,
      actor: record.actor === null ? null : { ...record.actor },
      operation: record.operation,
    })),
    omitted,
    vanished: facts.vanished.map(({ record, hold }) => ({
      id: hold.id,
      holder: hold.holder,
      reason: hold.reason,
      profile: record.profile,
      scope: record.scope,
      begun_at: record.at,
    })),
    corrupt: corrupt.count,
    corrupt_lines: corrupt.lines.map(({ file, line, why }) => ({ file, line, why })),
    unreadable: unreadable.map(({ file, why }) => ({ file, why })),
    skipped: session.selection.missing,
  };
}
