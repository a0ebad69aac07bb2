/**
 * Reads a fleet's and a profile's settings file; absent and refused ones are answers, not errors.
 * What a setting means is for whoever acts on it.
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
 * Loads what reading a file that is there needs. Whoever runs for long asks for it at the start: an
 * import that fails once, for want of a descriptor, fails until the process ends.
 */
export async function loadParser(): Promise<void> {
  await import('./parse/understand.ts');
}

/**
 * `<root>/fleet.yaml`. The bytes are taken before this returns, and only a file that is there costs
 * more than that. Never rejects for what a file holds or a disk says.
 */
export const readFleetSettings = (root: string): Promise<SettingsFile<FleetSettings>> =>
  read(join(root, FLEET_FILE), async (path, text) => {
    const { understandFleet } = await import('./parse/understand.ts');
    return understandFleet(path, text);
  });

/** `<home>/profile.yaml`, as `readFleetSettings`. */
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
