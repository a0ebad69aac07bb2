/**
 * Reads from `profile.yaml` whether a gateway is expected to serve a profile.
 * Which gateways serve it is known only by the watcher.
 */

import { readSync } from 'node:fs';
import { join } from 'node:path';
import {
  codeOrText,
  DEFAULT_PROFILE,
  isProfileName,
  profileHome,
  withFile,
} from '@fleet-estop/sentinel-core';
import { readProfiles } from '../fleet/settings.ts';

/** `unsaid`: the file does not say. `unknown`: the file cannot be understood, so a gateway may be expected. */
export type Expectation = 'expected' | 'not-expected' | 'unsaid' | 'unknown';

/** Needed only for profiles that no gateway serves. */
export async function expectationsOf(
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Expectation>> {
  const found = new Map<string, Expectation>(names.map((name) => [name, 'unsaid']));
  const saying = names.flatMap((name) => {
    const home = homeOf(root, name);
    return home !== null && maySay(join(home, 'profile.yaml')) ? [{ name, home }] : [];
  });
  for (const { profile, file } of await readProfiles(saying)) {
    if (file.state === 'rejected') found.set(profile.name, 'unknown');
    const expected = file.state === 'read' ? file.settings.gateway?.expected : undefined;
    if (expected !== undefined) found.set(profile.name, expected ? 'expected' : 'not-expected');
  }
  return found;
}

function homeOf(root: string, name: string): string | null {
  if (name === DEFAULT_PROFILE) return root;
  return isProfileName(name) ? profileHome(root, name) : null;
}

/** Longer files are left to the settings reader, and so are links, which may lead to an endless file. */
const MAX_BYTES = 16 * 1024;

/**
 * Whether the file may contain the key at all. Loading a YAML reader for a thousand files with only labels
 * would make a status ten times as slow.
 */
function maySay(path: string): boolean {
  try {
    return withFile(path, (fd, stats) => {
      if (!stats.isFile() || stats.size > MAX_BYTES) return true;
      const bytes = Buffer.alloc(MAX_BYTES);
      const text = bytes.toString('latin1', 0, readSync(fd, bytes));
      // The key may be written with escapes, or in a two-byte encoding.
      return /expected|\\|\0/.test(text);
    });
  } catch (error) {
    return codeOrText(error) !== 'ENOENT';
  }
}
