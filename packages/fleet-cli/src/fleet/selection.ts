/**
 * Resolves `-p` to existing profiles. The whole selection is checked before any of it is used.
 * Labels are resolved to names by `by-label.ts` first.
 */

import { statSync } from 'node:fs';
import {
  codeOrText,
  DEFAULT_PROFILE,
  FleetError,
  isProfileName,
  listProfiles,
  type Profile,
  type ProfileListing,
  profileHome,
} from '@fleet-estop/sentinel-core';
import { nearest } from '../cli/nearest.ts';

export interface SelectionOptions {
  readonly profile?: readonly string[];
  readonly label?: readonly string[];
  readonly allProfiles?: true;
  readonly allowMissing?: true;
  /** With `-l`: profiles whose labels cannot be read, so that they may match. */
  readonly unreadLabels?: readonly UnreadLabels[];
}

/** A profile whose labels cannot be read. */
export interface UnreadLabels {
  readonly name: string;
  /** What is wrong with its `profile.yaml`, a line each. */
  readonly why: readonly string[];
}

export interface Selection {
  readonly listing: ProfileListing;
  /** null: no `-p` was given. */
  readonly profiles: readonly Profile[] | null;
  /** Named with `-p`, absent, and accepted because of `--allow-missing`. */
  readonly missing: readonly string[];
  /** With `-l`: profiles that may match. Nothing is done with them. */
  readonly unreadLabels: readonly UnreadLabels[];
}

/** How many profiles an error message lists. */
const MAX_LISTED = 8;

/** Throws PROFILE_INVALID, PROFILE_UNKNOWN or SCOPE_UNUSABLE for the selection as a whole. */
export function select(root: string, options: SelectionOptions): Selection {
  const listing = listProfiles(root);
  if (options.profile === undefined) {
    if (options.allowMissing) {
      throw new FleetError('VALUE_INVALID', '`--allow-missing` without `-p`', {
        hint: 'name the profile that may be absent with -p',
      });
    }
    return { listing, profiles: null, missing: [], unreadLabels: [] };
  }
  const profiles: Profile[] = [];
  const missing: string[] = [];
  for (const name of options.profile) {
    const found = find(root, listing, name);
    if (found === null) missing.push(name);
    else profiles.push(found);
  }
  if (missing.length > 0 && !options.allowMissing) throw unknown(listing, missing);
  return { listing, profiles, missing, unreadLabels: options.unreadLabels ?? [] };
}

/** `-p default` names the profile that is served from the root: its only sentinel is the fleet's. */
export function refuseDefaultProfile(profiles: readonly Profile[], verb: string): void {
  if (!profiles.some(({ name }) => name === DEFAULT_PROFILE)) return;
  throw new FleetError(
    'VALUE_INVALID',
    `the profile \`${DEFAULT_PROFILE}\` is served from the root: its sentinel is the fleet's`,
    { hint: `to ${verb} the whole fleet, leave -p and -l out` },
  );
}

/** Refuses unknown names in an allowlist: with a mistyped name, nobody could pass. */
export function requireKnown(listing: ProfileListing, names: readonly string[]): void {
  if (listing.unreadable !== undefined) return;
  const known = new Set([DEFAULT_PROFILE, ...listing.profiles.map(({ name }) => name)]);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) throw unknown(listing, missing);
}

/** Explains why a list or a pattern, which other tools accept, is not a name here. */
function noName(root: string, name: string): FleetError {
  const parts = name.split(',');
  if (parts.length > 1 && parts.every(isProfileName)) {
    return new FleetError(
      'PROFILE_INVALID',
      `\`${name}\` is a list, and \`-p\` takes one profile`,
      {
        hint: `repeat it: ${parts.map((part) => `-p ${part}`).join(' ')}; or select by a label with -l`,
      },
    );
  }
  if (/[*?[\]{}]/.test(name)) {
    return new FleetError(
      'PROFILE_INVALID',
      `\`${name}\` is a pattern, and \`-p\` takes one profile`,
      {
        hint: 'select by a label with -l key=value, repeat -p, or select all of them with --all-profiles',
      },
    );
  }
  profileHome(root, name); // throws, and says what a name is
  throw new Error(`\`${name}\` is not a name, and no reason was given`);
}

/** null: no such folder. */
function find(root: string, listing: ProfileListing, name: string): Profile | null {
  if (!isProfileName(name)) throw noName(root, name);
  if (name === DEFAULT_PROFILE) return { name, home: root };
  const listed = listing.profiles.find((profile) => profile.name === name);
  if (listed !== undefined) return listed;
  const rejected = listing.rejected.find((folder) => folder.name === name);
  if (rejected !== undefined) {
    throw new FleetError('PROFILE_INVALID', `\`${name}\` is not a profile: ${rejected.why}`, {
      hint: `look at profiles/${name}`,
    });
  }
  return listing.unreadable === undefined ? null : findUnlisted(root, name, listing.unreadable);
}

/** If `profiles/` may be entered but not listed, a known name still works. */
function findUnlisted(root: string, name: string, why: string): Profile | null {
  const home = profileHome(root, name);
  try {
    if (statSync(home).isDirectory()) return { name, home };
  } catch (cause) {
    if (codeOrText(cause) === 'ENOENT') return null;
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `the profile \`${name}\` cannot be looked up: profiles/ cannot be read (${why})`,
      { hint: 'repair its permissions', cause },
    );
  }
  return null;
}

function unknown(listing: ProfileListing, missing: readonly string[]): FleetError {
  const known = listing.profiles.map(({ name }) => name);
  const described = missing.map((name) => {
    const near = nearest(name, known);
    return near.length === 0 ? `\`${name}\`` : `\`${name}\` (nearest: ${near.join(', ')})`;
  });
  const listed = known.slice(0, MAX_LISTED).join(', ');
  const more = known.length > MAX_LISTED ? `, and ${known.length - MAX_LISTED} more` : '';
  return new FleetError('PROFILE_UNKNOWN', `there is no profile ${described.join(', ')}`, {
    hint: known.length === 0 ? 'this fleet has no profiles' : `profiles here: ${listed}${more}`,
  });
}
