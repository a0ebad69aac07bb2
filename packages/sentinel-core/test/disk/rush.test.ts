/**
 * Many operations in one scope at once: each waits for its turn, and all of them end as asked.
 */
import { expect, test } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { ArmResult, LiftResult } from '../../src/disk/results.ts';
import { atOnce } from '../support/rush.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const PATIENCE_MS = 120_000;
const names = Array.from({ length: 50 }, (_, at) => `holder-${at}`);

const standing = (dir: string) => {
  const found = check(disk, dir);
  return found.engaged ? found.holds.map(({ holder }) => holder).sort() : [];
};

test(
  'of fifty holders that arm at once every one stands, and of fifty that lift none does',
  async () => {
    const dir = scopeDir();
    const armed = await atOnce<ArmResult>(
      names.map((holder) => ({ operation: 'arm', dir, argument: { holder } })),
    );
    expect(armed.filter((answer) => !answer.armed || answer.degraded !== undefined)).toEqual([]);
    expect(standing(dir)).toEqual([...names].sort());

    const lifted = await atOnce<LiftResult>(
      names.map((holder) => ({ operation: 'lift', dir, argument: { holder } })),
    );
    expect(lifted.filter((answer) => !answer.lifted)).toEqual([]);
    expect(check(disk, dir)).toEqual({ engaged: false, expired: false });
    expect(besideSentinel(dir)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'of fifteen arms of one holder at once every one was seen to stand, and the last one stands',
  async () => {
    const dir = scopeDir();
    const order = { operation: 'arm', dir, argument: { holder: 'operator' } } as const;
    const answers = await atOnce<ArmResult>(Array.from({ length: 15 }, () => order));
    expect(answers.filter((answer) => !answer.armed || answer.degraded !== undefined)).toEqual([]);
    expect(standing(dir)).toEqual(['operator']);
    expect(besideSentinel(dir)).toEqual([]);
  },
  PATIENCE_MS,
);
