/**
 * Makes the folders and files of a fleet, and never changes existing ones.
 * Choosing the folder is `command.ts`; the output is `text.ts`.
 */

import {
  closeSync,
  fchmodSync,
  fchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, makeOwnFolder, SENTINEL } from '@fleet-estop/sentinel-core';
import type { Group } from './group.ts';

export interface MakeOptions {
  /** The example fleet that is copied. */
  readonly example: string;
  /** Whether to make the example's profiles too. */
  readonly withProfiles: boolean;
  /** null: the fleet belongs to one user. */
  readonly group: Group | null;
}

export interface MakeResult {
  /**
   * Paths relative to the root, folders with a slash at the end, in the order in which they were made. A folder
   * above the root that was made has an absolute path.
   */
  readonly made: readonly string[];
  /** What existed already. */
  readonly kept: readonly string[];
  /** Where it failed, and why: an errno code or a sentence. null: it is complete. */
  readonly failed: { readonly path: string; readonly why: string } | null;
}

const ROOT = './';
const PROFILES = 'profiles/';
/** Sentinels must not be committed: a checkout would place a hold, and `git clean` would lift one. */
const IGNORED = `# Holds and what belongs to them are of this host and this moment. Ignored, they come back with no
# checkout, and \`git clean\` leaves them (but not \`git clean -x\`).
${SENTINEL}
.${SENTINEL}.*
.fleet/
/cluster/
`;

/** `root` is absolute. Missing parent folders are made with default modes. */
export function makeFleet(root: string, { example, withProfiles, group }: MakeOptions): MakeResult {
  const made: string[] = [];
  const kept: string[] = [];
  let at = ROOT;

  const folder = (path: string): void => {
    at = path;
    (makeFolder(resolve(root, path), group) ? made : kept).push(path);
  };
  const file = (path: string, text = readFileSync(join(example, path), 'utf8')): void => {
    at = path;
    (makeFile(join(root, path), text, group) ? made : kept).push(path);
  };

  try {
    const above = mkdirSync(dirname(root), { recursive: true });
    if (above !== undefined) made.push(`${above}/`);
    folder(ROOT);
    file('fleet.yaml', settingsText(readFileSync(join(example, 'fleet.yaml'), 'utf8'), group));
    file('.gitignore', IGNORED);
    folder(PROFILES);
    // Examples are not added beside real profiles, where they would be a trap.
    if (withProfiles && holdsNothingElse(join(root, PROFILES), join(example, PROFILES))) {
      file('README.md');
      for (const profile of readdirSync(join(example, PROFILES)).sort()) {
        folder(`${PROFILES}${profile}/`);
        for (const name of readdirSync(join(example, PROFILES, profile)).sort()) {
          file(`${PROFILES}${profile}/${name}`);
        }
      }
    }
    return { made, kept, failed: null };
  } catch (error) {
    return { made, kept, failed: { path: at, why: whyOf(error) } };
  }
}

/** Whether there is nothing but what an earlier, perhaps interrupted, call has made. */
function holdsNothingElse(profiles: string, example: string): boolean {
  const known = new Set(readdirSync(example, { recursive: true }).map(String));
  return readdirSync(profiles).every(
    (profile) =>
      known.has(profile) &&
      statSync(join(profiles, profile)).isDirectory() &&
      readdirSync(join(profiles, profile)).every((name) => known.has(join(profile, name))),
  );
}

/** false: it exists. */
function makeFolder(path: string, group: Group | null): boolean {
  const mode = group === null ? 0o700 : 0o2770;
  try {
    makeOwnFolder(path, (fd) => {
      // Changing the owner may clear the setgid bit, so it comes first.
      if (group !== null) fchownSync(fd, process.geteuid?.() ?? 0, group.id);
      fchmodSync(fd, mode);
    });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!statSync(path).isDirectory()) throw new Error('it exists, and is not a folder');
    return false;
  }
  if ((statSync(path).mode & 0o7777) !== mode) throw new Error('its mode could not be set');
  return true;
}

/** false: the name exists. */
function makeFile(path: string, text: string, group: Group | null): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(fd, text);
    if (group !== null) fchownSync(fd, process.geteuid?.() ?? 0, group.id);
    fchmodSync(fd, group === null ? 0o644 : 0o664);
  } catch (error) {
    // A half-written file would be kept by every later call.
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
}

/** The example's settings; with a group, its commented `access` line is filled in. */
function settingsText(example: string, group: Group | null): string {
  if (group === null) return example;
  const text = example.replace(/^# access: .*$/m, `access: { group: '${group.name}' }`);
  if (text === example) throw new Error('the example says nothing of a group');
  return text;
}

function whyOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
