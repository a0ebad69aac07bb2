/**
 * The speeds that the project promises, each beside what a user would have instead:
 *
 *   npm run bench [-- --rounds N] [--only TEXT]
 *
 * Prints ratios with their spread; exits 1 where a median is over its limit. Not a test: run it on a
 * machine that does nothing else.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, nodeDisk } from '@fleet-estop/sentinel-core';
import { loop, paired, type Ratio, type Round } from './paired.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '31' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);
const dir = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
const results: Ratio[] = [];
const disk = nodeDisk();

function measure(name: string, limit: number, ours: Round, theirs: Round): void {
  if (!name.includes(values.only)) return;
  const ratio = paired(name, limit, { ours, theirs, rounds });
  results.push(ratio);
  const { median, spread, oursNs, theirsNs } = ratio;
  const range = `${spread[0].toFixed(2)} to ${spread[1].toFixed(2)}`;
  say(
    `${median <= limit ? 'ok  ' : 'OVER'} ${name}: ${median.toFixed(2)} times (${range}; ` +
      `limit ${limit}; ours ${pretty(oursNs)}, theirs ${pretty(theirsNs)}; ${rounds} rounds)`,
  );
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const pretty = (ns: number): string =>
  ns < 1e5 ? `${(ns / 1e3).toFixed(2)} µs` : `${(ns / 1e6).toFixed(1)} ms`;

function checks(): void {
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
    say('SKIPPED: there is no python3 here to compare a chain of two scopes with');
    return;
  }
  // Prepared Path objects and nothing but the two questions: the fastest that pathlib does.
  const python = `
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
  measure(
    'check of a chain of two scopes, against pathlib exists() of the same two files',
    1,
    loop(20_000, () => check(disk, home).engaged || check(disk, dir).engaged),
    () => Number(execFileSync('python3', ['-c', python, home, dir], { encoding: 'utf8' })),
  );
}

function commands(): void {
  const root = join(dir, 'fleet');
  for (let lane = 0; lane < 100; lane++) {
    mkdirSync(join(root, 'profiles', `lane-${lane}`), { recursive: true });
  }
  const empty = join(dir, 'empty.mjs');
  writeFileSync(empty, '');
  const launcher = join(process.cwd(), 'packages/fleet-cli/bin/fleet.js');
  const run = (args: readonly string[]): Round => {
    return () => {
      const start = process.hrtime.bigint();
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      const took = Number(process.hrtime.bigint() - start);
      if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
      return took;
    };
  };
  for (const [name, args] of [
    ['fleet status', ['status']],
    ['fleet pause', ['pause', '--reason', 'bench']],
    ['fleet pause -p', ['pause', '-p', 'lane-7', '--ttl', '1h']],
    ['fleet assert', ['assert', 'paused', '-p', 'lane-7']],
    ['fleet resume', ['resume']],
    ['fleet gate', ['gate', '-p', 'lane-8']],
  ] as const) {
    const ours = run([launcher, '--root', root, ...args]);
    measure(`${name}, 100 profiles, against an empty Node script`, 1.3, ours, run([empty]));
  }
}

try {
  checks();
  commands();
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exitCode = results.some(({ median, limit }) => median > limit) ? 1 : 0;
