/**
 * Reads the settings files of a fleet and a profile. Absent and rejected files are results, not errors.
 * What a setting means is decided by its user.
 */
import { join } from 'node:path';
import { decode } from './disk/decode.ts';
import { readSource } from './disk/source.ts';
import type { FleetSettings } from './parse/fleet-file.ts';
import type { ProfileSettings } from './parse/profile-file.ts';
import type { Understood } from './parse/understand.ts';
import { positionsIn } from './position.ts';
import { type Problem, problemAt } from './problem.ts';

export const FLEET_FILE = 'fleet.yaml';
export const PROFILE_FILE = 'profile.yaml';

export type SettingsFile<T> =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly path: string; readonly settings: T }
  /** At least one problem, in the order of the file. */
  | { readonly state: 'rejected'; readonly path: string; readonly problems: readonly Problem[] };

/**
 * Loads the modules that parse a settings file. A long-running process calls it at its start: an import
 * that fails once, for example for lack of file descriptors, fails until the process ends.
 */
export async function loadParser(): Promise<void> {
  await import('./parse/understand.ts');
}

/**
 * Reads `<root>/fleet.yaml`. The bytes are read before this returns; the parser is loaded only if the
 * file exists. Never rejects because of the file's content or the disk; it rejects only if `yaml` or
 * `zod` cannot be loaded.
 */
export const readFleetSettings = (root: string): Promise<SettingsFile<FleetSettings>> =>
  read(join(root, FLEET_FILE), async (path, text) => {
    const { understandFleet } = await import('./parse/understand.ts');
    return understandFleet(path, text);
  });

/** Reads `<home>/profile.yaml`, like `readFleetSettings`. */
export const readProfileSettings = (home: string): Promise<SettingsFile<ProfileSettings>> =>
  read(join(home, PROFILE_FILE), async (path, text) => {
    const { understandProfile } = await import('./parse/understand.ts');
    return understandProfile(path, text);
  });

async function read<T>(
  path: string,
  understand: (path: string, text: string) => Promise<Understood<T>>,
): Promise<SettingsFile<T>> {
  const source = readSource(path);
  if (source.state === 'absent') return source;
  if (source.state === 'rejected') return { state: 'rejected', path, problems: [source.problem] };
  const decoded = decode(source.bytes);
  if ('complaint' in decoded) {
    const { text, complaint } = decoded;
    const problem = problemAt(path, positionsIn(text)(complaint.offset), complaint);
    return { state: 'rejected', path, problems: [problem] };
  }
  const understood = await understand(path, decoded.text);
  return 'settings' in understood
    ? { state: 'read', path, settings: understood.settings }
    : { state: 'rejected', path, problems: understood.problems };
}
