/**
 * Measures for how long a hold that was just armed over an expired one is out of sight while gates of
 * another implementation retire what they had examined. From the root of the repository:
 *
 *   node scripts/run.mjs packages/sentinel-core/test/mixed-fleet/measure.ts [gates] [seconds] [over] [folder]
 *
 * `over`: `expired` (default), or `absent`: the arm begins once some gate has removed the expired one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';

/** Longer than any window that was seen. */
const WATCHED_MS = 40;
/** The old hold's time left when a round begins; the arm begins within twice this. */
const LEFT_MS = 2;
const PATIENCE = { tries: 12, rounds: 20 };

const [, , gates = '6', seconds = '60', over = 'expired', parent = tmpdir()] = process.argv;
const scope = mkdtempSync(join(parent, 'fleet-mixed-'));
const sentinel = join(scope, 'ESTOP');
let pauses = 0;
const node = nodeDisk();
const disk = {
  ...node,
  pause(attempt: number) {
    pauses += 1;
    node.pause(attempt);
  },
};
const script = await bundleFile(fileURLToPath(new URL('foreign-gate.ts', import.meta.url)));
const running: ChildProcess[] = Array.from({ length: Number(gates) }, () =>
  spawn(process.execPath, [script, scope], { stdio: 'ignore' }),
);
await new Promise((resolve) => setTimeout(resolve, 1_000));

const tally = { rounds: 0, notArmed: 0, waited: 0, invisible: 0, lost: 0, longestMs: 0 };
/** Those of the rounds in which the arm waited. */
const afterWait = { invisible: 0, longestMs: 0 };
let armMs = 0;
const end = performance.now() + Number(seconds) * 1_000;
while (performance.now() < end) {
  const draft = join(scope, 'draft');
  const deadline = new Date(Date.now() + LEFT_MS).toISOString();
  writeFileSync(draft, JSON.stringify({ generation: `old-${tally.rounds}`, expires_at: deadline }));
  renameSync(draft, sentinel);
  if (over === 'absent') while (existsSync(sentinel));
  else spin(2 * LEFT_MS * Math.random());
  tally.rounds += 1;
  pauses = 0;
  const began = performance.now();
  const armed = arm(disk, scope, { reason: 'stop' });
  const tookMs = performance.now() - began;
  armMs += tookMs;
  const waited = pauses > 1;
  if (!armed.armed) {
    tally.notArmed += 1;
    continue;
  }
  if (waited) tally.waited += 1;
  watch(waited ? [tally, afterWait] : [tally]);
  lift(disk, scope, { everyone: true }, {}, PATIENCE);
}
for (const gate of running) gate.kill('SIGKILL');
rmSync(scope, { recursive: true, force: true });
const { rounds, ...rest } = tally;
const mean = armMs / rounds;
process.stdout.write(
  `${JSON.stringify({ over, gates, rounds, ...rest, afterWait, meanArmMs: mean })}\n`,
);

function watch(tallies: readonly { invisible: number; longestMs: number }[]): void {
  const from = performance.now();
  let sinceMs: number | null = null;
  let isOut = false;
  for (let now = from; now - from < WATCHED_MS; now = performance.now()) {
    const { engaged } = check(disk, scope);
    if (!engaged) {
      sinceMs ??= now;
      isOut = true;
      const outMs = now - sinceMs;
      for (const one of tallies) one.longestMs = Math.max(one.longestMs, outMs);
    } else {
      sinceMs = null;
    }
  }
  if (isOut) for (const one of tallies) one.invisible += 1;
  if (sinceMs !== null) tally.lost += 1;
}

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
