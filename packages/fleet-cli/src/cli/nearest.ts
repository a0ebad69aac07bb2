/**
 * Finds the names that a mistyped name probably means.
 */

import { editDistance, maxTypo } from '@fleet-estop/sentinel-core';

/** How many suggestions a message shows. */
const MAX_NAMES = 3;

/** The names closest to a mistyped one, closest first; none where nothing is close. */
export function nearest(meant: string, names: readonly string[]): string[] {
  const limit = maxTypo(meant);
  return names
    .map((name) => ({ name, distance: editDistance(meant, name) }))
    .filter(({ name, distance }) => distance <= limit || (meant !== '' && name.startsWith(meant)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}
