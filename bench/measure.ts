/**
 * What all benches share: asking for one, saying a figure, and knowing whether any was over its limit.
 * What is measured is each bench's own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, paired, type Round, sorted } from './paired.ts';

export interface Bench {
  /** Pairs in turn; 0: as many as the bench thinks right. */
  readonly rounds: number;
  /** A folder of this bench's own. */
  readonly dir: string;
  say(line: string): void;
  /** Both in turn; the median of the ratios must not be over `limit`. */
  measure(name: string, limit: number, ours: Round, theirs: Round): void;
  /** A figure that was measured, with what it must not be over; null: it has no limit. */
  figure(name: string, value: number, limit: number | null, shown: string): void;
  atLeast(name: string, value: number, least: number, shown: string): void;
  skipped(why: string): void;
}

export interface Outcome {
  readonly over: number;
  readonly skipped: number;
}

export async function runBench(
  { rounds, only }: { readonly rounds: number; readonly only: string },
  run: (bench: Bench) => void | Promise<void>,
): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
  let over = 0;
  let skipped = 0;
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const judge = (isMissed: boolean): string => {
    if (isMissed) over += 1;
    return isMissed ? 'OVER' : 'ok  ';
  };
  try {
    await run({
      rounds,
      dir,
      say,
      measure(name, limit, ours, theirs) {
        if (!name.includes(only)) return;
        const taken = rounds || 31;
        const { median, spread, oursNs, theirsNs } = paired({ ours, theirs, rounds: taken });
        say(
          `${judge(median > limit)} ${name}: ${median.toFixed(2)} times (${spreadOf(spread)}; ` +
            `limit ${limit}; ours ${pretty(oursNs)}, theirs ${pretty(theirsNs)}; ${taken} rounds)`,
        );
      },
      figure(name, value, limit, shown) {
        const verdict = limit === null ? '    ' : judge(value > limit);
        say(`${verdict} ${name}: ${shown}${limit === null ? '' : `; limit ${limit}`}`);
      },
      atLeast(name, value, least, shown) {
        say(`${judge(value < least)} ${name}: ${shown}; at least ${least}`);
      },
      skipped(why) {
        skipped += 1;
        say(`SKIPPED: ${why}`);
      },
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return { over, skipped };
}

const pretty = (ns: number): string =>
  ns < 1e5 ? `${(ns / 1e3).toFixed(2)} µs` : `${(ns / 1e6).toFixed(1)} ms`;

export const spreadOf = ([low, high]: readonly [number, number]): string =>
  `${low.toFixed(2)} to ${high.toFixed(2)}`;

/** Median and the middle 80 %. */
export function summary(values: readonly number[]): {
  readonly median: number;
  readonly spread: readonly [number, number];
} {
  const all = sorted(values);
  return { median: at(all, 0.5), spread: [at(all, 0.1), at(all, 0.9)] };
}
