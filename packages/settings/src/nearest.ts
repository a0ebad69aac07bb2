/**
 * Suggests the known word that is closest to a mistyped one.
 * The sentence around it is `parse/judge.ts`.
 */

import { editDistance, maxTypo } from '@fleet-estop/sentinel-core';

/** The candidate closest to a mistyped word; undefined if none is close. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const limit = maxTypo(typed);
  const word = normalized(typed);
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, normalized(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** `maxTtl`, `max-ttl` and `MAX_TTL` become the same word. */
const normalized = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '');
