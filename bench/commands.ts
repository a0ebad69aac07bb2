/**
 * What a call of `fleet` takes, beside a Node that does nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './measure.ts';
import type { Round } from './paired.ts';

export function commands({ dir, measure }: Bench): void {
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
