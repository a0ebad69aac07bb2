/**
 * A fleet that is moved away while a command waits for its turn, as by an unmount or a restore.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '@fleet-estop/sentinel-core';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, type Fleet, makeFleet, preloaded } from '../support/fleet.ts';

/** The command finds another owner at work, and the folder is moved during its first wait. */
function movedAway(fleet: Fleet, scope: string, folder: string, put: 'nothing' | 'empty') {
  mkdirSync(join(scope, '.ESTOP.txn', nodeDisk().token()), { recursive: true });
  const moved = `${fleet.root}-moved`;
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  const [from, to] = [JSON.stringify(folder), JSON.stringify(moved)];
  const options = preloaded(`
    const { wait } = Atomics;
    let isMoved = false;
    Atomics.wait = (...args) => {
      if (!isMoved) {
        isMoved = true;
        require('node:fs').renameSync(${from}, ${to});
        ${put === 'empty' ? `require('node:fs').mkdirSync(${from});` : ''}
      }
      return wait(...args);
    };`);
  return { moved, options };
}

it('an empty folder in the place of the root is not paused, and says so', () => {
  const fleet = makeFleet('lane-a');
  const { options } = movedAway(fleet, fleet.root, fleet.root, 'empty');
  const { code, stdout, stderr } = fleet.run(['pause'], options);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('NOT paused: the whole fleet');
});

it('a root that was moved away with its hold is not resumed', () => {
  const fleet = makeFleet('lane-a');
  fleet.run(['pause', '--as', 'other']);
  const { moved, options } = movedAway(fleet, fleet.root, fleet.root, 'empty');
  const { code, stdout } = fleet.run(['resume', '--as', 'other'], options);
  expect(code).toBe(3);
  expect(stdout).not.toContain('is running');
  expect(bodyOf(join(moved, 'ESTOP')).holds).toHaveLength(1);
});

it('a profile that was moved away with its hold is not resumed', () => {
  const fleet = makeFleet('lane-a');
  fleet.run(['pause', '-p', 'lane-a']);
  const lane = fleet.folder('lane-a');
  const { options } = movedAway(fleet, lane, lane, 'nothing');
  const { code, stdout } = fleet.run(['resume', '-p', 'lane-a'], options);
  expect(code).toBe(3);
  expect(stdout).not.toContain('is running');
});

it('no window runs its command around a folder that took the place of the root', () => {
  const fleet = makeFleet('lane-a');
  const { options } = movedAway(fleet, fleet.root, fleet.root, 'empty');
  const { code, stdout } = fleet.run(['window', '--', 'echo', 'ran'], options);
  expect([code, stdout]).toEqual([125, '']);
  expect(existsSync(fleet.sentinel())).toBe(false);
});
