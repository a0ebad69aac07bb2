/**
 * Lists the profiles of a fleet from the folders under `profiles/`.
 * Nothing is parsed here: the settings package reads `profile.yaml`.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { FleetError } from '../errors.ts';
import { codeOrText, meansAbsent } from '../files/errno.ts';
import { PROFILES_FOLDER } from './home.ts';
import { identityOf, nameExists, statOrErrno } from './path-status.ts';

/** The name of the profile that is served from the root folder itself. */
export const DEFAULT_PROFILE = 'default';

/** A profile of a fleet. */
export interface Profile {
  readonly name: string;
  /** Its home folder; absolute if the root is. */
  readonly home: string;
  /** The folder is reached through a link. */
  readonly link?: true;
}

/**
 * An entry of `profiles/` that is not a profile. Work that runs there is bound by the root alone.
 */
export interface RejectedFolder {
  readonly name: string;
  readonly why: string;
}

/** What `listProfiles` found. */
export interface ProfileListing {
  /** The profile `default` first, if the root has a `profile.yaml`; then by name. */
  readonly profiles: readonly Profile[];
  readonly rejected: readonly RejectedFolder[];
  /** Errno: `profiles/` could not be read, so the profiles are unknown. */
  readonly unreadable?: string;
}

const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Whether a name matches `[a-z0-9][a-z0-9_-]{0,63}`, as a profile's must. */
export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name);

/**
 * The home folder `<root>/profiles/<name>`. Throws PROFILE_INVALID before a bad name is joined into
 * a path.
 */
export function profileHome(root: string, name: string): string {
  if (isProfileName(name)) return `${profilesFolder(root)}/${name}`;
  throw new FleetError('PROFILE_INVALID', `\`${name}\` is not a profile name`, {
    hint: 'a name is 1 to 64 of a-z, 0-9, `-` and `_`, and begins with a letter or digit',
  });
}

/**
 * Lists the profiles of a root and the rejected entries of its `profiles/`. Reads the folder once.
 * Throws nothing: a folder that cannot be read is reported as `unreadable`.
 */
export function listProfiles(root: string): ProfileListing {
  const profiles: Profile[] = [];
  const rejected: RejectedFolder[] = [];
  if (nameExists(`${root}/profile.yaml`)) profiles.push({ name: DEFAULT_PROFILE, home: root });

  let entries: Dirent[];
  try {
    entries = readdirSync(profilesFolder(root), { withFileTypes: true });
  } catch (error) {
    const code = codeOrText(error);
    // A plain file or a dangling link named `profiles` does not mean "no profiles": they are
    // unknown.
    const absent = code === 'ENOENT' && !nameExists(profilesFolder(root));
    return absent ? { profiles, rejected } : { profiles, rejected, unreadable: code };
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const why = whyNoProfile(root, entry);
    if (why === 'ignored') continue;
    if (why !== null) rejected.push({ name: entry.name, why });
    else profiles.push(profileAt(root, entry));
  }
  return { profiles, rejected };
}

/**
 * The names of the other profiles that share this profile's folder through a link, so that one
 * sentinel holds them all. Throws nothing.
 */
export function profilesSharing(profiles: readonly Profile[], name: string): readonly string[] {
  if (!profiles.some((profile) => profile.link)) return [];
  const identities = new Map<string, string>();
  for (const profile of profiles) {
    const stats = statOrErrno(profile.home);
    if (typeof stats !== 'string') identities.set(profile.name, identityOf(stats));
  }
  const own = identities.get(name);
  if (own === undefined) return [];
  return [...identities].filter(([other, id]) => id === own && other !== name).map(([n]) => n);
}

/**
 * Why an entry is not a profile; null: it is one. `ignored`: neither a folder nor a link to one.
 */
function whyNoProfile(root: string, entry: Dirent): string | null {
  if (entry.isSymbolicLink()) {
    const target = statOrErrno(`${profilesFolder(root)}/${entry.name}`);
    if (typeof target === 'string') {
      if (meansAbsent(target)) return 'a link that leads nowhere';
      // Any other failure may hide a folder. It stays a profile, and its state reports what is
      // wrong.
    } else {
      if (!target.isDirectory()) return 'ignored';
      if (identityOf(target) === identityAt(root)) return "a link to the fleet's own folder";
    }
  } else if (!entry.isDirectory()) {
    return 'ignored';
  }
  if (entry.name === DEFAULT_PROFILE) return 'the profile `default` is the root itself';
  return isProfileName(entry.name) ? null : 'not a profile name';
}

function profileAt(root: string, entry: Dirent): Profile {
  const { name } = entry;
  const home = `${profilesFolder(root)}/${name}`;
  return entry.isSymbolicLink() ? { name, home, link: true } : { name, home };
}

const profilesFolder = (root: string): string => `${root === '/' ? '' : root}/${PROFILES_FOLDER}`;

function identityAt(path: string): string | null {
  const stats = statOrErrno(path);
  return typeof stats === 'string' ? null : identityOf(stats);
}
