/**
 * Reads `fleet.yaml` and `profile.yaml`. It returns errors and never throws, because an emergency stop must
 * not fail for a settings file. The YAML reader is loaded only if there is a file.
 * What a setting means is up to the caller.
 */

import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '@fleet-estop/sentinel-core';
import { withFile } from '@fleet-estop/sentinel-core';
import type { FleetSettings, Problem, ProfileSettings } from '@fleet-estop/settings';

export type ReadSettings<T> =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly settings: T }
  | {
      readonly state: 'rejected';
      readonly problems: readonly Problem[];
      /** The problems as text, one line each, with file, line and column. */
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
  return readSettingsFile(path, ({ readFleetSettings }) => readFleetSettings(root));
}

/** In the order of the profiles. */
export async function readProfiles(profiles: readonly Profile[]): Promise<ReadProfile[]> {
  const found: ReadProfile[] = [];
  for (const profile of profiles) {
    const { home } = profile;
    const file = await readSettingsFile(join(home, 'profile.yaml'), ({ readProfileSettings }) =>
      readProfileSettings(home),
    );
    found.push({ profile, file });
  }
  return found;
}

type ParsedFile<T> =
  | Extract<ReadSettings<T>, { state: 'absent' | 'read' }>
  | { readonly state: 'rejected'; readonly problems: readonly Problem[] };

async function readSettingsFile<T>(
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

/** true only if it is certain; every other case is left to the settings reader. */
function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** A longer file is not the one that `fleet init` wrote. */
const MAX_BYTES = 16 * 1024;

/**
 * Whether a file has only its version and comments, as `fleet init` writes it. Checked here because loading
 * a YAML reader would make a pause half as slow again.
 */
function setsNothing(path: string): boolean {
  try {
    const text = withFile(path, (fd, stats) =>
      stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(fd, 'latin1') : '',
    );
    // Everything else is left to the settings reader.
    return /^[\x20-\x7e\n]*$/.test(text) && text.replace(/^ *#.*$/gm, '').trim() === 'version: 1';
  } catch {
    return false;
  }
}

/** The settings reader could not be loaded, or failed unexpectedly. */
function notWhole<T>(file: string, error: unknown): ReadSettings<T> {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this installation of fleet cannot read it: ${why}`;
  const place = { file, line: null, column: null, key: '' };
  const problem = { code: 'unreadable' as const, ...place, message, expected: null, hint: null };
  return { state: 'rejected', problems: [problem], lines: [`${file}: ${message}`] };
}
