/**
 * Divides profiles into waves. Pure: what is done in a wave is `run-waves.ts`.
 */

/** Of one wave: a number of profiles, or a part of all of them. */
export type WaveSize = { readonly profiles: number } | { readonly percent: number };

/** Profiles that share one folder have one sentinel, so they come back together. */
export interface Turn {
  /** Never empty; the first is the one whose folder is used. */
  readonly names: readonly string[];
  /** Turns of different groups never share a wave. */
  readonly group: string;
}

export interface WaveOrder {
  readonly size: WaveSize;
  readonly canaries: readonly string[];
}

/** The canaries first, then group by group in the order of their names; none is empty. */
export function planWaves(turns: readonly Turn[], { size, canaries }: WaveOrder): Turn[][] {
  const isCanary = ({ names }: Turn) => names.some((name) => canaries.includes(name));
  const first = turns.filter(isCanary);
  const rest = turns.filter((turn) => !isCanary(turn));
  const groups = [...new Set(rest.map(({ group }) => group))].sort(inNaturalOrder);
  const length =
    'profiles' in size
      ? size.profiles
      : Math.max(1, Math.ceil((turns.length * size.percent) / 100));
  const waves = groups.flatMap((group) =>
    chunks(
      rest.filter((turn) => turn.group === group),
      length,
    ),
  );
  return first.length === 0 ? waves : [first, ...waves];
}

/** `2` before `10`. */
const inNaturalOrder = (a: string, b: string): number =>
  a.localeCompare(b, 'en', { numeric: true });

function chunks<T>(all: readonly T[], length: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += length) parts.push(all.slice(at, at + length));
  return parts;
}
