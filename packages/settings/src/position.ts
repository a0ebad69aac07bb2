/**
 * Converts offsets of a text to lines and columns, both counted from 1.
 */

export interface Position {
  readonly line: number;
  /** In UTF-16 code units, as editors count. */
  readonly column: number;
}

/** Finds the line starts once, since one file can contain many thousand mistakes. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
