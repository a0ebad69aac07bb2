/**
 * Ratios of two ways to do one thing, measured side by side in one run.
 * What is compared with what is for each bench.
 */
export interface Ratio {
  /** Median of the per-round ratios, ours over theirs. */
  readonly median: number;
  /** The middle 80 % of the rounds. */
  readonly spread: readonly [number, number];
  readonly oursNs: number;
  readonly theirsNs: number;
}

/** One call does one round and answers nanoseconds for one operation. */
export type Round = () => number;

/**
 * Runs both in turn, each first in every other round, so that a machine that slows down meanwhile
 * slows both; the ratio is taken within each round.
 */
export function paired({
  ours,
  theirs,
  rounds,
}: {
  readonly ours: Round;
  readonly theirs: Round;
  readonly rounds: number;
}): Ratio {
  ours();
  theirs();
  const samples: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = ours();
      samples.push({ ours: first, theirs: theirs() });
    } else {
      const first = theirs();
      samples.push({ ours: ours(), theirs: first });
    }
  }
  const ratios = sorted(samples.map((sample) => sample.ours / sample.theirs));
  return {
    median: at(ratios, 0.5),
    spread: [at(ratios, 0.1), at(ratios, 0.9)],
    oursNs: at(sorted(samples.map((sample) => sample.ours)), 0.5),
    theirsNs: at(sorted(samples.map((sample) => sample.theirs)), 0.5),
  };
}

/** Nanoseconds of one call, over a loop of `calls`. */
export function loop(calls: number, call: () => unknown): Round {
  return () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; i++) call();
    return Number(process.hrtime.bigint() - start) / calls;
  };
}

export const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
export const at = (values: readonly number[], share: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
