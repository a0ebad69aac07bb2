/**
 * The folders of a fleet that are watched, and which of their entries matter.
 */

import { basename, join } from 'node:path';
import { journalPath, SENTINEL, TENURE, type WatchedFolder } from '@fleet-estop/sentinel-core';
import { FLEET_FILE, PROFILE_FILE } from '@fleet-estop/settings';
import type { FleetLists } from '../state/fleet-state.ts';

const HELD = [SENTINEL, TENURE];
const IN_A_HOME = [...HELD, PROFILE_FILE];
const PROFILES = 'profiles';
const CLUSTER = 'cluster';
const FLEET = '.fleet';

export const JOURNAL = basename(journalPath(''));

/**
 * Settings files are entries of scope folders and need no watch of their own: a second watch on a
 * busy home folder would cost more than everything else.
 */
export function foldersOf({ root, shared, profiles }: FleetLists): readonly WatchedFolder[] {
  const atRoot = [...HELD, FLEET_FILE, PROFILE_FILE, PROFILES, CLUSTER, FLEET];
  return [
    { dir: root, kind: 'scope', names: atRoot },
    ...shared.filter(({ dir }) => dir !== root).map(({ dir }) => scope(dir, HELD)),
    ...profiles.flatMap(({ own }) => (own === null ? [] : [scope(own.dir, IN_A_HOME)])),
    { dir: join(root, PROFILES), kind: 'shape', names: null },
    { dir: join(root, FLEET), kind: 'shape', names: [JOURNAL] },
  ];
}

const scope = (dir: string, names: readonly string[]): WatchedFolder => ({
  dir,
  kind: 'scope',
  names,
});
