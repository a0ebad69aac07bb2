/**
 * A gate of another implementation retires an expired sentinel by a move that knows no tenure, and
 * may catch the hold that was armed over it meanwhile.
 * How often that happens on a real machine is `measure.ts`.
 */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { EXPIRED, inSeconds, STANDING, sentinelOf, writeSentinel } from '../support/bodies.ts';
import { scopeInMemory } from '../support/scope-dir.ts';

const DOZE_MS = 24;
const disk = nodeDisk();
let script = '';
beforeAll(async () => {
  script = await bundleFile(fileURLToPath(new URL('foreign-gate.ts', import.meta.url)));
});

/** A gate that has examined the expired sentinel of `dir` and moves what stands there next. */
async function gateAt(dir: string): Promise<void> {
  const gate = spawn(process.execPath, [script, dir, String(DOZE_MS)]);
  onTestFinished(() => void gate.kill('SIGKILL'));
  for await (const text of gate.stdout) if (String(text).includes('examined')) break;
}

/** Answers to every check from now until long after the gate has put back what it took. */
function checksOf(dir: string): boolean[] {
  const answers = new Set<boolean>();
  const end = performance.now() + 4 * DOZE_MS;
  while (performance.now() < end) answers.add(check(disk, dir).engaged);
  return [...answers];
}

/** `disk`, but it counts pauses instead of waiting. */
function countingPauses(): DiskPort & { pauses: number } {
  const port = {
    ...disk,
    pauses: 0,
    pause() {
      port.pauses += 1;
    },
  };
  return port;
}

describe('a foreign gate has examined an expired sentinel, and a hold is armed over it', () => {
  it('every check that begins after the arm said so is held by it', async () => {
    const dir = scopeInMemory();
    writeSentinel(dir, EXPIRED);
    await gateAt(dir);
    const armed = arm(disk, dir, { reason: 'stop' });
    expect(armed.armed).toBe(true);
    expect(checksOf(dir)).toEqual([true]);
    expect(check(disk, dir)).toMatchObject({ holds: armed.holds });
  });

  it('so it is where it expired only after the arm had looked', async () => {
    const dir = scopeInMemory();
    writeSentinel(dir, { generation: 'E', expires_at: inSeconds(-1) });
    await gateAt(dir);
    let behindMs = 10_000;
    const port: DiskPort = {
      ...disk,
      now: () => disk.now() - behindMs,
      rename(from, to) {
        disk.rename(from, to);
        if (to === sentinelOf(dir)) behindMs = 0;
      },
    };
    expect(arm(port, dir, { reason: 'stop' })).toMatchObject({ armed: true });
    expect(checksOf(dir)).toEqual([true]);
  });

  it('it is not called armed where the gate dropped it, since somebody took the name meanwhile', async () => {
    const dir = scopeInMemory();
    writeSentinel(dir, EXPIRED);
    await gateAt(dir);
    let isTaken = false;
    const port: DiskPort = {
      ...disk,
      pause(attempt) {
        disk.pause(attempt);
        if (isTaken || existsSync(sentinelOf(dir))) return;
        writeSentinel(dir, STANDING);
        isTaken = true;
      },
    };
    const { armed, ...rest } = arm(port, dir, { reason: 'stop' });
    expect({ armed, ...rest }).toMatchObject({ armed: false, why: 'overtaken', engaged: true });
  });
});

describe('an arm waits for foreign gates', () => {
  it('not at all over nothing, and not over what stands', () => {
    const port = countingPauses();
    const dir = scopeInMemory();
    expect(arm(port, dir, { holder: 'a' }).armed).toBe(true);
    expect(arm(port, dir, { holder: 'b' }).armed).toBe(true);
    expect(arm(port, dir, { holder: 'a', expiresAt: inSeconds(60) }).armed).toBe(true);
    expect(port.pauses).toBe(0);
  });

  it('for a second at most where one died and left what it had moved aside', () => {
    const port = countingPauses();
    const dir = scopeInMemory();
    writeSentinel(dir, EXPIRED);
    writeFileSync(join(dir, '.ESTOP.retiring-1-00'), JSON.stringify(EXPIRED));
    expect(arm(port, dir, {}).armed).toBe(true);
    expect(port.pauses).toBeGreaterThan(5);
    expect(port.pauses).toBeLessThanOrEqual(125);
  });

  it('nor much longer where somebody has made the folder a long one, so that each look is slow', () => {
    const port: DiskPort = {
      ...disk,
      staged(scope, prefix) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
        return disk.staged(scope, prefix);
      },
    };
    const dir = scopeInMemory();
    writeFileSync(join(dir, '.ESTOP.retiring-1-00'), JSON.stringify(EXPIRED));
    const began = performance.now();
    expect(arm(port, dir, {}).armed).toBe(true);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
