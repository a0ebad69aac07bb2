/**
 * From `-p` to profiles that are there. All of a selection is judged before any of it is used.
 * Labels are not known here: `by-label.ts` makes names of them first.
 */

import { statSync } from 'node:fs';
import {
  DEFAULT_LANE,
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
  /** Of `-l`: lanes that may be among those that are meant. */
  readonly unreadLabels?: readonly UnreadLabels[];
}

/** A lane whose labels are not known. */
export interface UnreadLabels {
  readonly name: string;
  /** What is wrong with its `profile.yaml`, a line each. */
  readonly why: readonly string[];
}

export interface Selection {
  readonly listing: ProfileListing;
  /** null: no `-p` was given. */
  readonly profiles: readonly Profile[] | null;
  /** Asked for, absent, and accepted as such. */
  readonly missing: readonly string[];
  /** Of `-l`: whether they are meant is not known, and so nothing was done or said of them. */
  readonly unreadLabels: readonly UnreadLabels[];
}

/** How many profiles a refusal lists where no name is near. */
const MAX_LISTED = 8;

/** Throws PROFILE_INVALID, PROFILE_UNKNOWN or SCOPE_UNUSABLE, for all of the selection at once. */
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

/** `-p default` names the root's own lane, which has no sentinel but the fleet's. */
export function refuseDefaultProfile(profiles: readonly Profile[], verb: string): void {
  if (!profiles.some(({ name }) => name === DEFAULT_LANE)) return;
  throw new FleetError(
    'VALUE_INVALID',
    `the lane \`${DEFAULT_LANE}\` is served from the root: its sentinel is the fleet's`,
    { hint: `to ${verb} the whole fleet, leave -p and -l out` },
  );
}

/** Refuses names that no hold can be narrowed to: a typing error there would let nobody pass. */
export function requireKnown(listing: ProfileListing, names: readonly string[]): void {
  if (listing.unreadable !== undefined) return;
  const known = new Set([DEFAULT_LANE, ...listing.profiles.map(({ name }) => name)]);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) throw unknown(listing, missing);
}

/** A list and a pattern are what other tools take; here each lane is named, or labels are. */
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
        hint: 'select by a label with -l key=value, repeat -p, or mean all of them with --all-profiles',
      },
    );
  }
  profileHome(root, name); // throws, and says what a name is
  throw new Error(`\`${name}\` was no name, and is one`);
}

/** null: no such folder. */
function find(root: string, listing: ProfileListing, name: string): Profile | null {
  if (!isProfileName(name)) throw noName(root, name);
  if (name === DEFAULT_LANE) return { name, home: root };
  const listed = listing.profiles.find((profile) => profile.name === name);
  if (listed !== undefined) return listed;
  const rejected = listing.rejected.find((folder) => folder.name === name);
  if (rejected !== undefined) {
    throw new FleetError('PROFILE_INVALID', `\`${name}\` is no profile: ${rejected.why}`, {
      hint: `look at profiles/${name}`,
    });
  }
  return listing.unreadable === undefined ? null : findUnlisted(root, name, listing.unreadable);
}

/** The folder of profiles may be entered and not read: then a name that is known still works. */
function findUnlisted(root: string, name: string, why: string): Profile | null {
  const home = profileHome(root, name);
  try {
    if (statSync(home).isDirectory()) return { name, home };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `whether there is a profile \`${name}\` cannot be told: profiles/ cannot be read (${why})`,
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
