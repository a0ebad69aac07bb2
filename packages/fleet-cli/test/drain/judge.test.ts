/**
 * When a selection counts as drained: odd cases that are hard to bring about with real gateways.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { describe, expect, it } from 'vitest';
import {
  isAllQuiet,
  isAnswered,
  isServedAtAll,
  judgeDrain,
  type LookedAt,
} from '../../src/drain/judge.ts';
import type { AckSnapshot, Awaited } from '../../src/watcher-client/ack-snapshot.ts';

const gateway = (more: Partial<Awaited> = {}): Awaited => ({
  profile: 'lane-a',
  instance: 'g',
  pid: 7,
  software: 'sample/1.0',
  link: 'acknowledged',
  ackStatus: 'acknowledged',
  inFlight: 0,
  acknowledged: 3,
  acknowledgedAtMs: 0,
  resumeSpreadMs: null,
  afterMs: 0,
  ...more,
});

const snapshot = (more: Partial<AckSnapshot> = {}): AckSnapshot => ({
  profiles: ['lane-a'],
  unshown: [],
  serving: [gateway()],
  absent: [],
  unserved: [],
  outsiders: [],
  unlisted: null,
  mayMissGateways: false,
  departed: [],
  ...more,
});

const work = (more: Partial<WorkRecord> = {}): WorkRecord => ({
  door: 'turn',
  id: 'm-17',
  principal: null,
  since: '2026-11-30T00:00:00+00:00',
  conversation: null,
  stallMs: null,
  progressAt: '2026-11-30T00:00:00+00:00',
  wedged: false,
  owner: 'o',
  instance: 'g',
  host: 'h',
  pid: 7,
  fate: 'running',
  ...more,
});

const QUIET = { profile: 'lane-a', work: [], unreadable: [] };

function verdict(more: Partial<LookedAt>) {
  const look = judgeDrain({
    snapshot: snapshot(),
    unreached: null,
    epoch: 'e',
    works: [QUIET],
    lost: [],
    excludesWedged: false,
    meansAll: false,
    ...more,
  });
  const [isAcknowledged, isQuiet] = [isAnswered(look), isAllQuiet(look)];
  return { isAcknowledged, isQuiet, isDrained: isAcknowledged && isQuiet && isServedAtAll(look) };
}

describe('who must have said so', () => {
  it('all have acknowledged and nothing is in hand: drained', () => {
    expect(verdict({}).isDrained).toBe(true);
  });

  it.each<[string, Partial<AckSnapshot>]>([
    ['a gateway has not acknowledged', { serving: [gateway({ ackStatus: 'silent' })] }],
    ['one acknowledged and was not heard since', { serving: [gateway({ link: 'stale' })] }],
    ['an older watcher gives no verdict', { serving: [gateway({ ackStatus: 'unknown' })] }],
    ['the watcher has not seen the state', { unshown: ['lane-a'] }],
    ['one is expected and absent', { absent: [{ profile: 'lane-b', expected: 'expected' }] }],
    ['the profiles cannot be listed', { unlisted: 'EACCES' }],
    ['gateways may still come back', { mayMissGateways: true }],
    [
      'one may be about to come back',
      { departed: [{ profile: 'lane-a', instance: 'g', pid: 7, agoMs: 1 }] },
    ],
    [
      'one outside the fleet is silent',
      { outsiders: [gateway({ profile: 'x', ackStatus: 'silent' })] },
    ],
  ])('not drained: %s', (_what, more) => {
    expect(verdict({ snapshot: snapshot(more) })).toMatchObject({
      isAcknowledged: false,
      isDrained: false,
    });
  });

  it('not drained: one went away before it had acknowledged', () => {
    expect(verdict({ lost: [gateway({ link: 'gone', ackStatus: 'gone' })] }).isDrained).toBe(false);
  });

  it('not drained: the watcher’s last answer is old, or there is none', () => {
    expect(verdict({ unreached: 'ECONNREFUSED' }).isDrained).toBe(false);
    expect(verdict({ snapshot: null }).isDrained).toBe(false);
  });

  it('not drained: nobody is there to say so', () => {
    expect(verdict({ snapshot: snapshot({ serving: [] }) }).isDrained).toBe(false);
  });

  it('one that acknowledged and then ended has no open doors', () => {
    const serving = [gateway(), gateway({ instance: 'old', link: 'gone', inFlight: 2 })];
    expect(verdict({ snapshot: snapshot({ serving }) }).isDrained).toBe(true);
  });
});

describe('what must be over', () => {
  const busy = (...records: readonly WorkRecord[]) => [{ ...QUIET, work: records }];

  it.each<[string, Partial<LookedAt>]>([
    ['the register has work', { works: busy(work()) }],
    ['the register has work that may not run', { works: busy(work({ fate: 'unproven' })) }],
    [
      'part of the register cannot be read',
      { works: [{ ...QUIET, unreadable: [{ path: 'claims', why: 'EACCES' }] }] },
    ],
    ['a gateway reports work', { snapshot: snapshot({ serving: [gateway({ inFlight: 1 })] }) }],
    [
      'a gateway reports work outside the fleet',
      { snapshot: snapshot({ outsiders: [gateway({ inFlight: 1 })] }) },
    ],
    ['wedged work is not excluded', { works: busy(work({ wedged: true })) }],
  ])('not quiet: %s', (_what, more) => {
    expect(verdict(more)).toMatchObject({ isQuiet: false, isDrained: false });
  });

  const serving = [gateway({ inFlight: 1 })];

  it('excluded wedged work excuses what its own gateway reports', () => {
    const works = busy(work({ wedged: true }));
    expect(
      verdict({ snapshot: snapshot({ serving }), works, excludesWedged: true }).isDrained,
    ).toBe(true);
  });

  it('and neither more than that, nor what another gateway reports', () => {
    const works = busy(work({ wedged: true }));
    const more = snapshot({ serving: [gateway({ inFlight: 2 })] });
    expect(verdict({ snapshot: more, works, excludesWedged: true }).isQuiet).toBe(false);
    const other = busy(work({ wedged: true, instance: 'other' }));
    expect(
      verdict({ snapshot: snapshot({ serving }), works: other, excludesWedged: true }).isQuiet,
    ).toBe(false);
  });

  it('the root’s own profile counts only while it has work or is served', () => {
    const root = { ...QUIET, profile: 'default' };
    const all = { works: [QUIET, { ...root, work: [work()] }], meansAll: true };
    expect(verdict(all).isQuiet).toBe(false);
    const { profiles } = judgeDrain({
      ...{ snapshot: snapshot(), unreached: null, epoch: 'e', lost: [], excludesWedged: false },
      ...{ works: [root, QUIET], meansAll: true },
    });
    expect(profiles.map(({ profile }) => profile)).toEqual(['lane-a']);
  });
});
