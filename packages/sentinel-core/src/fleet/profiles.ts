/**
 * Which profiles a fleet has, from the folders under `profiles/`.
 * What `profile.yaml` says about them is for whoever needs labels: nothing is parsed here.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { FleetError } from '../errors.ts';
import { PROFILES_FOLDER } from './home.ts';
import { codeOf, follow, identityOf, meansMissing, standsAt } from './look.ts';

/** The lane that is served from the root folder itself. */
export const DEFAULT_LANE = 'default';

export interface Profile {
  readonly name: string;
  /** Its home folder; absolute where the root is. */
  readonly home: string;
  /** The folder is reached through a link. */
  readonly link?: true;
}

/** Something under `profiles/` that is no lane: whatever runs there is bound by the root alone. */
export interface RejectedFolder {
  readonly name: string;
  readonly why: string;
}

export interface ProfileListing {
  /** The lane `default` first, where the root has a `profile.yaml`; then by name. */
  readonly profiles: readonly Profile[];
  readonly rejected: readonly RejectedFolder[];
  /** Errno: which profiles there are is not known. */
  readonly unreadable?: string;
}

const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name);

/** `<root>/profiles/<name>`. Throws PROFILE_INVALID before a bad name is joined into a path. */
export function profileHome(root: string, name: string): string {
  if (isProfileName(name)) return `${profilesFolder(root)}/${name}`;
  throw new FleetError('PROFILE_INVALID', `\`${name}\` is not a profile name`, {
    hint: 'a name is 1 to 64 of a-z, 0-9, `-` and `_`, and begins with a letter or digit',
  });
}

/** Reads `profiles/` once. Throws nothing: a folder that cannot be read is reported as such. */
export function listProfiles(root: string): ProfileListing {
  const profiles: Profile[] = [];
  const rejected: RejectedFolder[] = [];
  if (standsAt(`${root}/profile.yaml`)) profiles.push({ name: DEFAULT_LANE, home: root });

  let entries: Dirent[];
  try {
    entries = readdirSync(profilesFolder(root), { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    // A plain file or a dangling link of that name is not "no profiles": we cannot know which.
    const absent = code === 'ENOENT' && !standsAt(profilesFolder(root));
    return absent ? { profiles, rejected } : { profiles, rejected, unreadable: code };
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const why = whyNoLane(root, entry);
    if (why === 'ignored') continue;
    if (why !== null) rejected.push({ name: entry.name, why });
    else profiles.push(profileAt(root, entry));
  }
  return { profiles, rejected };
}

/** The other profiles that share this profile's folder by way of a link: one sentinel holds them all. */
export function profilesSharing(profiles: readonly Profile[], name: string): readonly string[] {
  if (!profiles.some((profile) => profile.link)) return [];
  const identities = new Map<string, string>();
  for (const profile of profiles) {
    const stats = follow(profile.home);
    if (typeof stats !== 'string') identities.set(profile.name, identityOf(stats));
  }
  const own = identities.get(name);
  if (own === undefined) return [];
  return [...identities].filter(([other, id]) => id === own && other !== name).map(([n]) => n);
}

/** null: it is one. `ignored`: neither a folder nor a link, and nobody's business here. */
function whyNoLane(root: string, entry: Dirent): string | null {
  if (entry.isSymbolicLink()) {
    const target = follow(`${profilesFolder(root)}/${entry.name}`);
    if (typeof target === 'string') {
      if (meansMissing(target)) return 'a link that leads nowhere';
      // Any other failure may well hide a folder: it stays a lane, and its state says what is wrong.
    } else {
      if (!target.isDirectory()) return 'ignored';
      if (identityOf(target) === identityAt(root)) return "a link to the fleet's own folder";
    }
  } else if (!entry.isDirectory()) {
    return 'ignored';
  }
  if (entry.name === DEFAULT_LANE) return 'the lane `default` is the root itself';
  return isProfileName(entry.name) ? null : 'not a profile name';
}

function profileAt(root: string, entry: Dirent): Profile {
  const { name } = entry;
  const home = `${profilesFolder(root)}/${name}`;
  return entry.isSymbolicLink() ? { name, home, link: true } : { name, home };
}

const profilesFolder = (root: string): string => `${root === '/' ? '' : root}/${PROFILES_FOLDER}`;

function identityAt(path: string): string | null {
  const stats = follow(path);
  return typeof stats === 'string' ? null : identityOf(stats);
}
