/**
 * Finds the names that a mistyped name probably means.
 */

/** How many suggestions a message shows. */
const MAX_NAMES = 3;

/** The names closest to a mistyped one, closest first; none where nothing is close. */
export function nearest(meant: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(meant.length / 3));
  return names
    .map((name) => ({ name, distance: distance(meant, name) }))
    .filter(({ name, distance }) => distance <= limit || (meant !== '' && name.startsWith(meant)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
function distance(a: string, b: string): number {
  let older: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (older[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    older = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
