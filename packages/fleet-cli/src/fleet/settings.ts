/**
 * Reads `fleet.yaml` and `profile.yaml`. Whatever happens is an answer and never an exception: an
 * emergency stop must not fail for a file that only advises it.
 * What a setting means is for whoever asks. Nothing of a YAML reader is loaded where there is no file.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '@fleet-estop/sentinel-core';
import type { FleetSettings, Problem, ProfileSettings } from '@fleet-estop/settings';

export type ReadSettings<T> =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly settings: T }
  | {
      readonly state: 'rejected';
      readonly problems: readonly Problem[];
      /** The same, a line for people each, with file, line and column. */
      readonly lines: readonly string[];
    };

export interface ReadProfile {
  readonly profile: Profile;
  readonly file: ReadSettings<ProfileSettings>;
}

type Package = typeof import('@fleet-estop/settings');

export async function readFleetFile(root: string): Promise<ReadSettings<FleetSettings>> {
  const path = join(root, 'fleet.yaml');
  if (setsNothing(path)) return { state: 'read', settings: { version: 1 } };
  return readFile(path, ({ readFleetSettings }) => readFleetSettings(root));
}

/** In the order of the profiles. */
export async function readProfiles(profiles: readonly Profile[]): Promise<ReadProfile[]> {
  const found: ReadProfile[] = [];
  for (const profile of profiles) {
    const { home } = profile;
    const file = await readFile(join(home, 'profile.yaml'), ({ readProfileSettings }) =>
      readProfileSettings(home),
    );
    found.push({ profile, file });
  }
  return found;
}

type ParsedFile<T> =
  | Extract<ReadSettings<T>, { state: 'absent' | 'read' }>
  | { readonly state: 'rejected'; readonly problems: readonly Problem[] };

async function readFile<T>(
  path: string,
  parse: (settings: Package) => Promise<ParsedFile<T>>,
): Promise<ReadSettings<T>> {
  if (isAbsent(path)) return { state: 'absent' };
  try {
    const settings = await import('@fleet-estop/settings');
    const file = await parse(settings);
    if (file.state !== 'rejected') return file;
    return { ...file, lines: file.problems.map(settings.describeProblem) };
  } catch (error) {
    return notWhole(path, error);
  }
}

/** Only where that is certain: anything else is for the reader to tell. */
function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Longer is not what `fleet init` wrote. */
const MAX_BYTES = 16 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Whether a file says its version and, apart from comments, nothing else: as `fleet init` leaves it.
 * To load a YAML reader for that would cost a pause half as much time again.
 */
function setsNothing(path: string): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_BYTES) return false;
    const text = readFileSync(fd, 'latin1');
    // Anything less plain is for the reader to judge.
    return /^[\x20-\x7e\n]*$/.test(text) && text.replace(/^ *#.*$/gm, '').trim() === 'version: 1';
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The reader itself could not be loaded, or failed in a way that nobody foresaw. */
function notWhole<T>(file: string, error: unknown): ReadSettings<T> {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this installation of fleet cannot read it: ${why}`;
  const place = { file, line: null, column: null, key: '' };
  const problem = { code: 'unreadable' as const, ...place, message, expected: null, hint: null };
  return { state: 'rejected', problems: [problem], lines: [`${file}: ${message}`] };
}
