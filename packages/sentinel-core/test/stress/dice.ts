/**
 * Random choices that a seed repeats.
 * What the kernel's scheduler does with the processes that make them, no seed repeats.
 */
export interface Dice {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** A whole number in the range, both ends included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
}

export function diceOf(seed: string): Dice {
  let state = hashOf(seed);
  // A 32-bit multiply-and-shift generator: its quality is ample for choosing when to die.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: ([first, ...rest]) => [first, ...rest][below(rest.length + 1)] ?? first,
  };
}

function hashOf(seed: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
