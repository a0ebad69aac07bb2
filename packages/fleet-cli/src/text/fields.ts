/**
 * Formats a block of named values under a headline, and counted nouns.
 */
const INDENT = '  ';

export type Field = readonly [name: string, value: string];

/** One line each, values aligned. */
export function fields(pairs: readonly Field[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${INDENT}${name.padEnd(width)}  ${value}`);
}

export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
