/**
 * How far a mistyped word is from a known one. Which word is suggested is for the caller.
 */

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
export function editDistance(a: string, b: string): number {
  // Skip hopeless words: a file can contain a key of many thousand letters.
  if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
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

/** The greatest distance of a typing error: a third of the letters. Beyond it is another word. */
export const maxTypo = (typed: string): number => Math.max(1, Math.floor(typed.length / 3));
