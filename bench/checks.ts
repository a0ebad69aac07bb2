/**
 * What a question to the disk costs, beside the bare system calls and beside pathlib.
 * What a gate adds to it is `admissions.ts`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, nodeDisk } from '@fleet-estop/sentinel-core';
import type { Bench } from './measure.ts';
import { loop } from './paired.ts';

// Prepared Path objects and nothing but the two questions: the fastest that pathlib does.
const PYTHON = `
import sys, time
from pathlib import Path
a, b = Path(sys.argv[1]) / "ESTOP", Path(sys.argv[2]) / "ESTOP"
def held(): return a.exists() or b.exists()
for _ in range(2000): held()
n = 20000
t = time.perf_counter_ns()
for _ in range(n): held()
print((time.perf_counter_ns() - t) / n)
`;

export function checks({ dir, measure, skipped }: Bench): void {
  const disk = nodeDisk();
  const home = join(dir, 'profiles', 'lane-a');
  mkdirSync(home, { recursive: true });
  const bare = [join(dir, '.ESTOP.txn'), join(dir, 'ESTOP')] as const;
  const quiet = { throwIfNoEntry: false } as const;
  measure(
    'check with nothing armed, one scope, against two bare lstatSync',
    1.6,
    loop(20_000, () => check(disk, dir)),
    loop(20_000, () => {
      lstatSync(bare[0], quiet);
      lstatSync(bare[1], quiet);
    }),
  );
  if (spawnSync('python3', ['--version']).status !== 0) {
    skipped('there is no python3 here to compare a chain of two scopes with');
    return;
  }
  measure(
    'check of a chain of two scopes, against pathlib exists() of the same two files',
    1,
    loop(20_000, () => check(disk, home).engaged || check(disk, dir).engaged),
    () => Number(execFileSync('python3', ['-c', PYTHON, home, dir], { encoding: 'utf8' })),
  );
}
