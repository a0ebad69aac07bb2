/**
 * Suggests the known word that is closest to a mistyped one.
 * The sentence around it is `parse/judge.ts`.
 */

/** The candidate closest to a mistyped word; undefined if none is close. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  // If up to a third of the letters is wrong, it is a typing error; beyond that it is another word.
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const word = normalized(typed);
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distance(word, normalized(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** `maxTtl`, `max-ttl` and `MAX_TTL` become the same word. */
const normalized = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '');

/** Edit distance: insertions, deletions, replacements and swaps of neighbours each count as one. */
function distance(a: string, b: string): number {
  // Skip hopeless candidates: a file can contain a key of many thousand letters.
  if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : replaced;
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
