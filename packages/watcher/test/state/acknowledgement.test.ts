/**
 * Who has acknowledged what: one row for each case of one profile, and what is no case of one.
 */
import type { GatewayView, LinkState } from '@fleet-estop/protocol';
import { expect, test } from 'vitest';
import { type Evidence, judge } from '../../src/state/acknowledgement.ts';

import { fleet } from '../support/states.ts';

const AT = '2026-11-29T17:00:00.000+00:00';
const gateway = (
  link: LinkState,
  acknowledged: number | null,
  more: Partial<GatewayView> & { readonly name?: string } = {},
): GatewayView => {
  const { name = 'a', ...view } = more;
  const served = { name, doors: [], in_flight: 0, refused: 0, acknowledged, acknowledged_at: null };
  return {
    instance: 'g',
    pid: 7,
    software: 's',
    link,
    connected_at: AT,
    last_seen_at: AT,
    gone_at: null,
    profiles: [served],
    ...view,
  };
};
const other = { instance: 'h' };
const returning = { ...other, returning: true };

/** The newest state of `a` is revision 5. */
const evidence = (...gateways: readonly GatewayView[]): Evidence => ({
  starting: false,
  fleet: fleet({ a: [] }),
  profileRevisions: new Map([['a', 5]]),
  gateways,
});

test.each([
  ['nobody', [], 'unserved', 0, 0],
  ['one at the newest', [gateway('acknowledged', 5)], 'acknowledged', 1, 1],
  ['one that is behind elsewhere', [gateway('connected', 5)], 'acknowledged', 1, 1],
  ['one at the newest, not heard since', [gateway('stale', 5)], 'acknowledged', 1, 1],
  [
    'one that has not acknowledged anything',
    [gateway('connected', null)],
    'not-acknowledged',
    1,
    0,
  ],
  ['one at an older revision', [gateway('connected', 4)], 'not-acknowledged', 1, 0],
  [
    'one at an older revision, by its link not',
    [gateway('acknowledged', 4)],
    'not-acknowledged',
    1,
    0,
  ],
  [
    'one of two',
    [gateway('acknowledged', 5), gateway('stale', 4, other)],
    'not-acknowledged',
    2,
    1,
  ],
  ['one that is gone for good', [gateway('gone', 5)], 'unserved', 0, 0],
  ['one that may return', [gateway('gone', 5, returning)], 'unknown', 0, 0],
  [
    'one, and one that may return',
    [gateway('acknowledged', 5), gateway('gone', 5, returning)],
    'unknown',
    1,
    1,
  ],
  [
    'one that has not, and one that may return',
    [gateway('stale', 4), gateway('gone', 5, returning)],
    'not-acknowledged',
    1,
    0,
  ],
  [
    'one whose process is back',
    [gateway('acknowledged', 5), gateway('gone', 4, { returning: true })],
    'acknowledged',
    1,
    1,
  ],
  ['one of another profile', [gateway('acknowledged', 5, { name: 'b' })], 'unserved', 0, 0],
  ['one that serves nothing', [gateway('acknowledged', 5, { profiles: [] })], 'unserved', 0, 0],
] as const)('a profile that is served by %s', (_, gateways, verdict, connected, acknowledged) => {
  const { profiles } = judge(evidence(...gateways));
  const why = verdict === 'unknown' ? 'gateway-returning' : null;
  expect(profiles.get('a')).toEqual({ verdict, why, connected, acknowledged });
});

test.each([
  ['nobody', [], 'unknown'],
  ['one at the newest', [gateway('acknowledged', 5)], 'unknown'],
  ['one at an older revision', [gateway('connected', 4)], 'not-acknowledged'],
] as const)(
  'while the watcher is starting, a profile that is served by %s may have gateways that are still to come',
  (_, gateways, verdict) => {
    const { profiles } = judge({ ...evidence(...gateways), starting: true });
    const why = verdict === 'unknown' ? 'watcher-starting' : null;
    expect(profiles.get('a')).toMatchObject({ verdict, why });
  },
);

test.each([
  ['connected', 5, 'acknowledged'],
  ['connected', 4, 'silent'],
  ['acknowledged', 4, 'silent'],
  ['stale', 5, 'acknowledged'],
  ['stale', 4, 'stale'],
  ['gone', 5, 'acknowledged'],
  ['gone', 4, 'gone'],
  ['gone', null, 'gone'],
] as const)(
  'a gateway that is %s and has acknowledged %s of 5 is %s',
  (link, revision, standing) => {
    const { gateways } = judge(evidence(gateway(link, revision)));
    expect(gateways).toMatchObject([{ link, profiles: [{ name: 'a', standing }] }]);
  },
);

test.each([
  ['acknowledged', 'acknowledged'],
  ['connected', 'silent'],
  ['stale', 'stale'],
  ['gone', 'gone'],
] as const)('of a name outside the fleet the link decides: %s', (link, standing) => {
  const { gateways, profiles } = judge(evidence(gateway(link, 5, { name: 'elsewhere' })));
  expect(gateways).toMatchObject([{ profiles: [{ standing }] }]);
  expect(profiles.has('elsewhere')).toBe(false);
  expect(profiles.get('a')).toMatchObject({ verdict: 'unserved' });
});

test('while the fleet cannot be read, nothing is known of its profiles', () => {
  const from = evidence(gateway('acknowledged', 5));
  const [root] = from.fleet.shared;
  if (root === undefined) throw new Error('it has no root');
  const lost = { ...from.fleet, unreadable: 'ENOENT' };
  expect(judge({ ...from, fleet: lost }).profiles.get('a')).toMatchObject({
    verdict: 'acknowledged',
  });
  const shared = [{ ...root, unreadable: 'ENOENT' }];
  expect(judge({ ...from, fleet: { ...lost, shared } }).profiles.get('a')).toEqual({
    verdict: 'unknown',
    why: 'fleet-unreadable',
    connected: 1,
    acknowledged: 1,
  });
});
