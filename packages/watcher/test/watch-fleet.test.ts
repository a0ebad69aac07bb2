import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { afterEach, expect, test } from 'vitest';
import { type FleetState, type FleetWatch, watchFleet } from '../src/index.ts';

const disk = nodeDisk();
const open: FleetWatch[] = [];
const roots: string[] = [];

afterEach(() => {
  for (const watch of open.splice(0)) watch.close();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A fleet, and a promise of the first reported state that fits. `sweepMs` far away: notices only. */
function watched(lanes: readonly string[], sweepMs = 600_000) {
  const root = mkdtempSync(join(tmpdir(), 'fleet-watch-'));
  roots.push(root);
  for (const lane of lanes) mkdirSync(join(root, 'profiles', lane), { recursive: true });
  let state: FleetState | undefined;
  let wake = () => {};
  open.push(
    watchFleet(
      root,
      (next) => {
        state = next;
        wake();
      },
      { sweepMs, disk },
    ),
  );
  const until = async (fits: (state: FleetState) => boolean): Promise<FleetState> => {
    while (state === undefined || !fits(state)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return state;
  };
  return { root, until };
}

const lane = (state: FleetState, name: string) =>
  state.profiles.find((candidate) => candidate.name === name);
const rootOf = (state: FleetState) => state.shared[0];

test('a hold in one lane is seen by notice, and leaves its neighbour running', async () => {
  const { root, until } = watched(['lane-a', 'lane-b']);
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'fan-out' });
  const state = await until((next) => lane(next, 'lane-a')?.engaged === true);
  expect(lane(state, 'lane-b')?.engaged).toBe(false);
  expect(lane(state, 'lane-a')?.own?.holds[0]?.reason).toBe('fan-out');
});

test('a root hold holds every lane, and its lift lets every lane go', async () => {
  const { root, until } = watched(['lane-a', 'lane-b']);
  arm(disk, root, {});
  await until(
    (next) => rootOf(next)?.engaged === true && next.profiles.every((each) => each.engaged),
  );
  lift(disk, root, { everyone: true });
  await until((next) => next.profiles.every((each) => !each.engaged));
});

test('a hold that is renamed into place by another tool is seen', async () => {
  const { root, until } = watched(['lane-a']);
  writeFileSync(join(root, 'draft'), '{"reason":"by hand"}');
  renameSync(join(root, 'draft'), join(root, 'ESTOP'));
  await until((next) => rootOf(next)?.holds[0]?.reason === 'by hand');
});

test('a lane that is created while watching is watched', async () => {
  const { root, until } = watched(['lane-a']);
  mkdirSync(join(root, 'profiles/lane-new'));
  await until((next) => lane(next, 'lane-new') !== undefined);
  arm(disk, join(root, 'profiles/lane-new'), {});
  await until((next) => lane(next, 'lane-new')?.engaged === true);
});

test('a deadline that passes is seen at once, although no file changes', async () => {
  const { root, until } = watched(['lane-a']);
  arm(disk, root, { expiresAt: new Date(Date.now() + 300).toISOString() });
  await until((next) => rootOf(next)?.engaged === true);
  const after = await until((next) => rootOf(next)?.engaged === false);
  expect(rootOf(after)?.expired).toBe(true);
});

test('a change whose notice was lost is seen by the sweep', async () => {
  // No folder to watch when it begins: `cluster/` appears without a notice to us.
  const { root, until } = watched(['lane-a'], 100);
  mkdirSync(join(root, 'cluster'));
  arm(disk, join(root, 'cluster'), { reason: 'from afar' });
  await until((next) => lane(next, 'lane-a')?.engaged === true);
});
