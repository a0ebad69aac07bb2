/**
 * What is done about a restart that died half-way: undone before the restart, finished with a new instance,
 * and else held for a reason that says so.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  actorOf,
  arm,
  check,
  formatInstant,
  type Hold,
  markOf,
  nodeDisk,
  type ProcessMark,
  readJournal,
} from '@fleet-estop/sentinel-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  beginRestart,
  type RestartRecord,
  type RestartStep,
  readRestart,
  type ServingInstance,
  settleRestart,
} from '../../src/index.ts';

const disk = nodeDisk();
const actor = actorOf('test', 'tester');
const HOLDER = 'restart-host-1-abcd';
const NEW: ServingInstance = { instance: 'new', link: 'acknowledged', hasAcknowledged: true };
const OLD: ServingInstance = { ...NEW, instance: 'old' };

function halfWay(step: RestartStep, isAlive = false) {
  const root = mkdtempSync(join(tmpdir(), 'fleet-restart-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'profiles', 'lane-a');
  mkdirSync(home, { recursive: true });
  const living = markOf() as ProcessMark;
  const mark = isAlive ? living : { ...living, pid: spawnSync('true').pid, birth: '1' };
  const since = formatInstant(Date.now());
  const record: RestartRecord = {
    ...{ id: 'r-1', holder: HOLDER, hold: null, mark, oldInstances: ['old'], step, since },
    reason: 'new version',
  };
  beginRestart(home, record);
  const expiresAt = formatInstant(Date.now() + 60_000);
  arm(disk, home, { holder: HOLDER, actor, reason: 'restart', expiresAt });
  arm(disk, home, { holder: 'operator', actor, reason: 'mine' });
  const settleWith = (serving: readonly ServingInstance[] | null) =>
    settleRestart(disk, { root, profile: 'lane-a', home }, () => serving, actor);
  const settle = (isBack: boolean) => settleWith(isBack ? [NEW] : []);
  const holds = (): readonly Hold[] => {
    const seen = check(disk, home);
    return seen.engaged ? seen.holds : [];
  };
  return {
    root,
    home,
    settle,
    settleWith,
    holds,
    holders: () => holds().map(({ holder }) => holder),
  };
}

describe.each(['held', 'draining', 'cutting'] as const)('a restart that died while %s', (step) => {
  it('is undone: its own hold is lifted, and no other', () => {
    const { root, home, settle, holders } = halfWay(step);
    expect(settle(false)).toMatchObject({ kind: 'undone', lifted: [{ holder: HOLDER }] });
    expect(holders()).toEqual(['operator']);
    expect(readRestart(home)).toEqual({ state: 'none' });
    expect(settle(false)).toEqual({ kind: 'none' });
    expect([...readJournal(root)]).toMatchObject([
      { record: { event: 'lift', operation: 'r-1', profile: 'lane-a' } },
    ]);
  });
});

describe.each(['restarting', 'verifying'] as const)('a restart that died while %s', (step) => {
  it('is finished once a new instance has acknowledged', () => {
    const { home, settle, holders } = halfWay(step);
    expect(settle(true)).toMatchObject({ kind: 'finished', lifted: [{ holder: HOLDER }] });
    expect(holders()).toEqual(['operator']);
    expect(readRestart(home)).toEqual({ state: 'none' });
  });

  it('leaves the profile held without a deadline and with a reason, until a new instance is there', () => {
    const { settle, holds } = halfWay(step);
    expect(settle(false)).toMatchObject({ kind: 'held', changed: true });
    const own = holds().find(({ holder }) => holder === HOLDER);
    expect(own?.expiresAt).toBe(null);
    expect(own?.reason).toContain(`died while ${step}`);
    expect(own?.reason).toContain('new version');
    expect(settle(false)).toMatchObject({ kind: 'held', changed: false });
    expect(settle(true)).toMatchObject({ kind: 'finished' });
  });
});

it.each<[string, readonly ServingInstance[] | null, 'finished' | 'held']>([
  ['it is not known who serves', null, 'held'],
  ['nobody serves', [], 'held'],
  ['a new instance has acknowledged', [NEW], 'finished'],
  ['a new one has not acknowledged', [{ ...NEW, hasAcknowledged: false }], 'held'],
  ['a new one has acknowledged and gone', [{ ...NEW, link: 'gone' }], 'held'],
  ['a new one has acknowledged and is stale since', [{ ...NEW, link: 'stale' }], 'held'],
  ['the old one still serves', [OLD], 'held'],
  ['the old one still serves beside a new one', [NEW, OLD], 'held'],
  ['the old one has gone', [NEW, { ...OLD, link: 'gone' }], 'finished'],
  ['of two new ones one has not acknowledged', [NEW, { ...NEW, hasAcknowledged: false }], 'held'],
])('a restart that died while it restarted, where %s', (_what, serving, kind) => {
  expect(halfWay('restarting').settleWith(serving)).toMatchObject({ kind });
});

it('a restart whose process lives is left alone', () => {
  const { settle, holders } = halfWay('draining', true);
  expect(settle(true)).toMatchObject({ kind: 'running', certain: true });
  expect(holders().sort()).toEqual(['operator', HOLDER]);
});

it('a hold that somebody lifted is not placed again', () => {
  const { home, settle, holders } = halfWay('verifying');
  disk.unlink(join(home, 'ESTOP'));
  expect(settle(false)).toMatchObject({ kind: 'lapsed' });
  expect(holders()).toEqual([]);
  expect(readRestart(home)).toEqual({ state: 'none' });
});
