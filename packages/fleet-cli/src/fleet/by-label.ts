/**
 * Resolves `-l` and `--all-profiles` to profile names, so that a verb sees them as if each had been named
 * with `-p`. Whether those profiles exist is `selection.ts`.
 */
import {
  DEFAULT_PROFILE,
  FleetError,
  listProfiles,
  type ProfileListing,
} from '@fleet-estop/sentinel-core';
import type { Labels, Selector } from '@fleet-estop/settings';
import { usageError } from '../cli/values.ts';
import { visible } from '../text/visible.ts';
import type { SelectionOptions, UnreadLabels } from './selection.ts';
import { type ReadProfile, readProfiles } from './settings.ts';

export interface SelectedNames {
  /** Never empty. */
  readonly names: readonly string[];
  /** For stderr: what the selection leaves out, which a user might expect in it. */
  readonly notices: readonly string[];
  /** Profiles whose labels cannot be read: each of them may match. */
  readonly unreadLabels: readonly UnreadLabels[];
}

/** How many problems or labels an error message lists. */
const MAX_LISTED = 8;

/** Throws where nothing is selected, and where the profiles or their labels cannot be read. */
export async function selectNames(
  root: string,
  { label, allProfiles }: SelectionOptions,
): Promise<SelectedNames> {
  const selectors = label === undefined ? [] : await readSelectors(label);
  const listing = listProfiles(root);
  if (listing.unreadable !== undefined) throw unlisted(listing.unreadable);
  if (allProfiles) return everyProfile(listing);
  const { matches } = await settingsReader();
  const read = await readProfiles(listing.profiles);
  const unreadLabels = read.flatMap(({ profile, file }) =>
    file.state === 'rejected' ? [{ name: profile.name, why: file.lines }] : [],
  );
  const labelled = labelledIn(read);
  const names = labelled.filter(({ labels }) => matches(selectors, labels)).map(({ name }) => name);
  if (names.length === 0) {
    throw unreadLabels.length > 0
      ? unknownLabels(unreadLabels)
      : matchesNothing(label ?? [], labelled);
  }
  return { names, notices: [], unreadLabels };
}

async function settingsReader(): Promise<typeof import('@fleet-estop/settings')> {
  try {
    return await import('@fleet-estop/settings');
  } catch (cause) {
    throw new FleetError('SCOPE_UNUSABLE', 'this installation of fleet cannot read labels', {
      hint: 'install it again; meanwhile, name profiles with -p',
      cause,
    });
  }
}

async function readSelectors(texts: readonly string[]): Promise<Selector[]> {
  const { parseSelector } = await settingsReader();
  return texts.map((text) => {
    const parsed = parseSelector(text);
    if (parsed.parsed) return parsed.selector;
    const { message, expected, hint } = parsed;
    throw usageError(`\`-l ${text}\`: ${message}`, hint ?? `expected ${expected}`);
  });
}

/** Without the profile `default`: it has no folder of its own, and is held by the fleet's sentinel. */
function everyProfile({ profiles, rejected }: ProfileListing): SelectedNames {
  const names = profiles.map(({ name }) => name).filter((name) => name !== DEFAULT_PROFILE);
  if (names.length === 0) {
    throw new FleetError('PROFILE_UNKNOWN', '`--all-profiles` selects none: there is no profile', {
      hint: 'leave it out to mean the whole fleet',
    });
  }
  const notices = rejected.map(
    ({ name, why }) => `not a profile, so not selected: profiles/${visible(name)}: ${why}`,
  );
  // Only a watcher knows whether a gateway serves it, so the notice always comes.
  notices.push(
    `not selected by --all-profiles: the root's own profile \`${DEFAULT_PROFILE}\`; a hold on the root holds it too`,
  );
  return { names, notices, unreadLabels: [] };
}

interface Labelled {
  readonly name: string;
  readonly labels: Labels;
}

const labelledIn = (read: readonly ReadProfile[]): Labelled[] =>
  read.flatMap(({ profile, file }) => {
    if (file.state === 'rejected') return [];
    return [
      { name: profile.name, labels: file.state === 'read' ? (file.settings.labels ?? {}) : {} },
    ];
  });

/** The error for verbs that do not act on a part of a selection. */
export function unknownLabels(unreadLabels: readonly UnreadLabels[]): FleetError {
  const problems = unreadLabels.flatMap(({ why }) => why);
  const shown = problems.slice(0, MAX_LISTED).join('; ');
  const more = problems.length > MAX_LISTED ? `; and ${problems.length - MAX_LISTED} more` : '';
  return new FleetError('PROFILE_INVALID', `labels cannot be read: ${shown}${more}`, {
    hint: 'repair that file, or name profiles with -p',
  });
}

function matchesNothing(asked: readonly string[], labelled: readonly Labelled[]): FleetError {
  const words = asked.map((text) => `\`-l ${text}\``).join(' ');
  const known = new Set(
    labelled.flatMap(({ labels }) =>
      Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    ),
  );
  const shown = [...known].sort().slice(0, MAX_LISTED).join(', ');
  const more = known.size > MAX_LISTED ? `, and ${known.size - MAX_LISTED} more` : '';
  return new FleetError('PROFILE_UNKNOWN', `no profile matches ${words}`, {
    hint: known.size === 0 ? 'no profile here has a label' : `labels here: ${shown}${more}`,
  });
}

const unlisted = (why: string): FleetError =>
  new FleetError('SCOPE_UNUSABLE', `the profiles cannot be listed: ${why}`, {
    hint: 'repair profiles/, name profiles with -p, or leave the selection out for the whole fleet',
  });
