/**
 * The output of `fleet profiles`: one line for each profile, and the errors in its settings.
 */

import { chainJson, rootJson } from '../../fleet/json.ts';
import { isHeld, notSeenIn, unreadableIn } from '../../fleet/state.ts';
import { unlistedNotices, unreadNotices } from '../../fleet/unread-text.ts';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { type Cell, type Column, table } from '../../text/table.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import type { ListedProfile, ProfilesFacts } from './facts.ts';

const COLUMNS: readonly Column[] = [
  { title: 'PROFILE', minWidth: 16 },
  { title: 'STATE' },
  { title: 'LABELS', minWidth: 20 },
  { title: 'DESCRIPTION', minWidth: 12 },
];
const NARROW = ['DESCRIPTION', 'LABELS', 'PROFILE'];

export function profilesLines({ session, listed }: ProfilesFacts, view: View): string[] {
  const { root, selection } = session;
  const lines = [
    view.paint('bold', counted(listed.length, 'profile')),
    `root ${visible(root.root)} (${root.source})`,
  ];
  if (listed.length > 0) lines.push('', ...table(view, COLUMNS, listed.map(rowOf), NARROW));
  const notes = selection.missing.map((name) => `skipped ${name}: there is no such profile`);
  if (selection.profiles === null) {
    for (const { name, why } of selection.listing.rejected) {
      notes.push(`not a profile: profiles/${visible(name)}: ${why}`);
    }
  }
  return notes.length === 0 ? lines : [...lines, '', ...notes];
}

function rowOf({ profile, file, profileState }: ListedProfile): Cell[] {
  const unreadable = profileState.states.some((state) => notSeenIn(state) !== null);
  const state: Cell = unreadable
    ? { text: 'UNREADABLE', style: 'red' }
    : isHeld(profileState.states)
      ? { text: 'paused', style: 'yellow' }
      : { text: 'running', style: 'green' };
  const cells = [{ text: profile.name }, state];
  if (file.state === 'rejected') return [...cells, { text: 'NOT KNOWN', style: 'red' }];
  const { labels = {}, description = '' } = file.state === 'read' ? file.settings : {};
  return [...cells, { text: labelsText(labels) }, { text: visible(description) }];
}

const labelsText = (labels: { readonly [key: string]: string }): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

/** For stderr: rejected settings, and states that could not be read. */
export function profilesNotices({ session, listed }: ProfilesFacts): string[] {
  const notices = unlistedNotices(session.selection);
  for (const { profile, file } of listed) {
    if (file.state !== 'rejected') continue;
    notices.push(`${profile.name}: profile.yaml cannot be used, so its labels are unknown:`);
    notices.push(...file.lines.map((line) => `  ${line}`));
  }
  return [...notices, ...unreadNotices(listed.flatMap(({ profileState }) => profileState.states))];
}

export function profilesDocument({ session, listed }: ProfilesFacts): { [key: string]: Json } {
  const { listing, profiles, missing } = session.selection;
  return {
    schema: 'fleet/profiles/v1',
    ...rootJson(session.root),
    profiles_unreadable: profiles === null ? (listing.unreadable ?? null) : null,
    lanes: listed.map(profileJson),
    rejected: listing.rejected.map(({ name, why }) => ({ name, why })),
    skipped: missing,
  };
}

function profileJson({ profile, file, profileState }: ListedProfile): Json {
  const settings = file.state === 'read' ? file.settings : null;
  return {
    profile: profile.name,
    home: profile.home,
    ...chainJson(profileState.states),
    unreadable: profileState.states.flatMap((state) => unreadableIn(state) ?? [])[0] ?? null,
    settings: file.state,
    description: settings?.description ?? null,
    // null: unknown, which differs from none.
    labels: file.state === 'rejected' ? null : { ...settings?.labels },
    gateway_expected: settings?.gateway?.expected ?? null,
    problems:
      file.state !== 'rejected'
        ? []
        : file.problems.map(({ code, file: path, line, column, key, message, expected, hint }) => ({
            code,
            file: path,
            line,
            column,
            key,
            message,
            expected,
            hint,
          })),
  };
}
