/**
 * Whether a gateway should be serving a profile, as its `profile.yaml` says.
 * Who serves it is known by the watcher alone.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LANE, isProfileName, profileHome } from '@fleet-estop/sentinel-core';
import { readProfiles } from '../fleet/settings.ts';

/** `unknown`: the file says something that cannot be understood, so one may well be expected. */
export type Expectation = 'expected' | 'not-expected' | 'unsaid' | 'unknown';

/** Asked only for profiles that nobody serves: elsewhere it changes nothing. */
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
  if (name === DEFAULT_LANE) return root;
  return isProfileName(name) ? profileHome(root, name) : null;
}

/** Longer is for the reader of settings to judge, and so is a link: it may lead to what has no end. */
const MAX_BYTES = 16 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Whether the word stands in it at all. To load a YAML reader for a thousand files of labels would
 * make a status ten times as slow.
 */
function maySay(path: string): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_BYTES) return true;
    const bytes = Buffer.alloc(MAX_BYTES);
    const text = bytes.toString('latin1', 0, readSync(fd, bytes));
    // A word may be written in escapes, or in an encoding of two bytes.
    return /expected|\\|\0/.test(text);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
