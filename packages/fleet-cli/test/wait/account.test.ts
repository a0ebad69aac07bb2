/**
 * Who has acknowledged what, decided from documents of a watcher: which acknowledgements count, and
 * that nobody drops out of the account.
 */
import { describe, expect, it } from 'vitest';
import type { ProfileState } from '../../src/fleet/state.ts';
import { accountOf, servedBy } from '../../src/watcher-client/account.ts';
import { isComplete, isDeserted, snapshotTaker } from '../../src/watcher-client/ack-snapshot.ts';
import type { Goal } from '../../src/watcher-client/goal.ts';
import { parseState, type WatcherState } from '../../src/watcher-client/state.ts';
import { makeFleet } from '../support/fleet.ts';
import { olderStateText, stateText } from '../support/said-watcher.ts';

type Link = 'connected' | 'acknowledged' | 'stale' | 'gone';

const HOLD = { id: 'h1' };
const scope = (holds: readonly object[], generation: string | null = 'g1') => ({
  kind: 'profile',
  holds,
  generation,
});
const gateway = (instance: string, link: Link, acknowledged: number | null, name = 'lane-a') => ({
  instance,
  pid: 7,
  software: 's',
  link,
  last_seen_at: '1970-01-01T00:00:02.000Z',
  profiles: [{ name, in_flight: 0, acknowledged, acknowledged_at: '1970-01-01T00:00:02.000Z' }],
});

function state(more: object = {}): WatcherState {
  const own = scope([HOLD]);
  const profiles = [{ name: 'lane-a', engaged: true, own, revision: 5 }];
  const parsed = parseState(stateText({ profiles, ...more }));
  if (parsed === null) throw new Error('the document of this test is not one');
  return parsed;
}

describe('what the disk says now', () => {
  const profile = (holds: readonly object[], generation: string | null = 'g1') =>
    ({
      profile: 'lane-a',
      states: [
        {
          scope: { kind: 'profile', dir: '/x', profile: 'lane-a' },
          check: { engaged: true, holds, generation, topAllow: null },
        },
      ],
    }) as unknown as ProfileState & { readonly profile: string };
  const statuses = (from: WatcherState, on: ProfileState & { readonly profile: string }) =>
    accountOf(from, servedBy(from), on, new Map()).serving.map(({ ackStatus }) => ackStatus);

  it.each([
    ['the newest revision', 'acknowledged', 5, 'acknowledged'],
    ['an older one', 'connected', 4, 'silent'],
    ['an older one, and not heard of since', 'stale', 4, 'stale'],
    ['the newest, and not heard of since', 'stale', 5, 'acknowledged'],
    ['none', 'connected', null, 'silent'],
    ['an older one of this lane, and all of another', 'acknowledged', 4, 'silent'],
  ] as const)('a gateway that has acknowledged %s', (_, link, revision, status) => {
    const from = state({ gateways: [gateway('g', link, revision)] });
    expect(statuses(from, profile([HOLD]))).toEqual([status]);
  });

  it.each([
    ['another hold', profile([HOLD, { id: 'h2' }])],
    ['one hold fewer', profile([])],
    ['the same hold in another body', profile([HOLD], 'g2')],
  ])('where the disk has %s than the watcher, nobody has acknowledged it', (_, on) => {
    const from = state({ gateways: [gateway('g', 'acknowledged', 5)] });
    expect(statuses(from, on)).toEqual(['silent']);
    expect(accountOf(from, servedBy(from), on, new Map()).wanted).toBeNull();
  });
});

describe('while it is waited for', () => {
  const goal = (more: Partial<Goal> = {}): Goal => ({
    meansAll: true,
    look: () => [],
    profilesOf: () => ['lane-a'],
    shown: ({ profiles }, name) => (profiles.has(name) ? 'h1' : null),
    beganMs: () => 1_500,
    ...more,
  });
  const taking = (more?: Partial<Goal>) =>
    snapshotTaker(makeFleet('lane-a').root, goal(more), null);
  const seen = (epoch: string, ...gateways: readonly object[]) => state({ epoch, gateways });

  it('an acknowledgement is one after so many milliseconds; where a clock was set, after unknown ones', async () => {
    const now = await taking()(seen('e1', gateway('g', 'acknowledged', 5)));
    expect(now.serving).toMatchObject([{ ackStatus: 'acknowledged', afterMs: 500 }]);
    expect(isComplete(now)).toBe(true);
    const later = taking({ beganMs: () => 2_500 });
    const set = await later(seen('e1', gateway('g', 'acknowledged', 5)));
    expect(set.serving).toMatchObject([{ ackStatus: 'acknowledged', afterMs: null }]);
  });

  it('one that was there and is not in the list any more is gone', async () => {
    const take = taking();
    await take(seen('e1', gateway('g', 'connected', 4), gateway('h', 'acknowledged', 5)));
    const { serving } = await take(seen('e1', gateway('h', 'acknowledged', 5)));
    expect(serving).toMatchObject([
      { instance: 'g', ackStatus: 'gone', link: 'gone' },
      { instance: 'h', ackStatus: 'acknowledged' },
    ]);
  });

  it('one that came back has to say so itself', async () => {
    const take = taking();
    await take(seen('e1', gateway('g', 'connected', 4)));
    await take(seen('e1', gateway('g', 'gone', 4)));
    const back = await take(seen('e1', gateway('g', 'connected', null)));
    expect(back.serving).toMatchObject([{ ackStatus: 'silent', link: 'connected' }]);
  });

  it.each([
    ['that serves what is no profile here', 'elsewhere'],
    ['that served the root, which is a lane no longer than that', 'default'],
  ])(
    'one %s is not forgotten when it goes away, before it has acknowledged or after',
    async (_, name) => {
      const here = gateway('h', 'acknowledged', 5);
      const lane = { name: 'lane-a', engaged: true, own: scope([HOLD]), revision: 5 };
      const asServed = name === 'default' ? [lane, { ...lane, name, own: null }] : [lane];
      const taking = (more: object, ...gateways: readonly object[]) =>
        state({ gateways: [here, ...gateways], ...more });
      const profilesOf = ({ profiles }: WatcherState) => [...profiles.keys()];
      const silent = snapshotTaker(makeFleet('lane-a').root, goal({ profilesOf }), null);
      const serving = await silent(
        taking({ profiles: asServed }, gateway('g', 'connected', 4, name)),
      );
      expect(isComplete(serving)).toBe(false);
      expect(isComplete(await silent(taking({}, gateway('g', 'gone', 4, name))))).toBe(false);
      expect(isComplete(await silent(taking({})))).toBe(false);

      const heard = snapshotTaker(makeFleet('lane-a').root, goal({ profilesOf }), null);
      await heard(taking({ profiles: asServed }, gateway('g', 'acknowledged', 5, name)));
      expect(isComplete(await heard(taking({}, gateway('g', 'gone', 5, name))))).toBe(true);
      // What it said to another run of the watcher, it has not said to this one.
      expect(isComplete(await heard(taking({ epoch: 'e2' })))).toBe(false);
    },
  );

  it('one that was gone before it was waited for is nobody’s affair', async () => {
    const picture = await taking()(seen('e1', gateway('old', 'gone', 4)));
    expect(picture.serving).toEqual([]);
    expect(isDeserted(picture)).toBe(true);
    expect(isComplete(picture)).toBe(false);
  });

  it('one that is gone has acknowledged only where it said so since it was waited for', async () => {
    const gone = seen('e1', gateway('g', 'gone', 5));
    expect(isComplete(await taking()(gone))).toBe(true);
    // Of a resume where nothing was held, the newest revision is an old one.
    const picture = await taking({ beganMs: () => 2_500 })(gone);
    expect(picture.serving).toEqual([]);
    expect(isComplete(picture)).toBe(false);
  });

  it('one that went away a moment before may come back, unless it does not count', async () => {
    const leaver = { ...gateway('g', 'gone', 4), returning: true };
    const here = gateway('h', 'acknowledged', 5);
    const picture = await taking()(seen('e1', here, leaver));
    expect(picture.departed).toMatchObject([{ instance: 'g', profile: 'lane-a' }]);
    expect(isComplete(picture)).toBe(false);
    expect(isDeserted(await taking()(seen('e1', leaver)))).toBe(false);
    const elsewhere = { ...leaver, profiles: gateway('g', 'gone', 4, 'default').profiles };
    expect(isComplete(await taking()(seen('e1', here, elsewhere)))).toBe(false);
    expect(isComplete(await taking({ meansAll: false })(seen('e1', here, elsewhere)))).toBe(true);
  });

  it('one that acknowledged, and went away since, is in the account already', async () => {
    const take = taking();
    await take(seen('e1', gateway('g', 'acknowledged', 5)));
    const leaver = { ...gateway('g', 'gone', 5), returning: true };
    const picture = await take(seen('e1', leaver));
    expect(picture).toMatchObject({ departed: [], serving: [{ ackStatus: 'acknowledged' }] });
    expect(isComplete(picture)).toBe(true);
  });

  it('one that has acknowledged it need not acknowledge what comes beside it', async () => {
    const newer = (revision: number | null, ...ids: readonly string[]) => {
      const own = scope(ids.map((id) => ({ id })));
      const profiles = [{ name: 'lane-a', engaged: true, own, revision: 8 }];
      return state({ profiles, gateways: [gateway('g', 'connected', revision)] });
    };
    const shown: Goal['shown'] = ({ profiles }) =>
      profiles.get('lane-a')?.own.find((key) => key.endsWith('h1')) ?? null;
    const take = taking({ shown });
    await take(seen('e1', gateway('g', 'acknowledged', 5)));
    expect(isComplete(await take(newer(5, 'h1', 'h2')))).toBe(true);
    // On a new connection it has not acknowledged anything.
    expect(isComplete(await take(newer(null, 'h1', 'h2')))).toBe(false);
  });

  it('what vanished and came back under its old id has to be acknowledged anew', async () => {
    const shown: Goal['shown'] = ({ epoch }) => (epoch === 'e1' ? 'h1' : null);
    const lane = { name: 'lane-a', engaged: true, own: scope([HOLD]), revision: 8 };
    const back = () => state({ profiles: [lane], gateways: [gateway('g', 'connected', 5)] });
    const kept = taking();
    await kept(seen('e1', gateway('g', 'acknowledged', 5)));
    expect(isComplete(await kept(back()))).toBe(true);
    const lost = taking({ shown });
    await lost(seen('e1', gateway('g', 'acknowledged', 5)));
    await lost(seen('e2', gateway('g', 'acknowledged', 5)));
    expect(isComplete(await lost(back()))).toBe(false);
  });

  it.each([
    ['connected', 'unknown'],
    ['acknowledged', 'unknown'],
    ['stale', 'unknown'],
  ] as const)(
    'of an older watcher, which gives no verdict, one that is %s is %s',
    async (link, status) => {
      const lane = { name: 'lane-a', engaged: true, own: scope([HOLD]), revision: 5 };
      const text = olderStateText({ profiles: [lane], gateways: [gateway('g', link, 5)] });
      const parsed = parseState(text);
      if (parsed === null) throw new Error('the document of this test is not one');
      const picture = await taking()(parsed);
      expect(picture.serving).toMatchObject([{ ackStatus: status }]);
      expect(isComplete(picture)).toBe(false);
    },
  );

  it('one that does not serve the profile any more is gone from it', async () => {
    const take = taking();
    await take(seen('e1', gateway('g', 'connected', 4)));
    const { serving } = await take(seen('e1', gateway('g', 'acknowledged', 9, 'lane-b')));
    expect(serving).toMatchObject([{ profile: 'lane-a', ackStatus: 'gone' }]);
  });

  it('what was said to another run of the watcher does not count, present or not', async () => {
    const take = taking();
    await take(seen('e1', gateway('g', 'acknowledged', 5), gateway('h', 'acknowledged', 5)));
    const { serving } = await take(seen('e2', gateway('h', 'connected', null)));
    expect(serving).toMatchObject([
      { instance: 'g', ackStatus: 'gone', afterMs: null },
      { instance: 'h', ackStatus: 'silent', afterMs: null },
    ]);
  });

  it('while the watcher has not seen it, nobody has acknowledged it, whatever their numbers', async () => {
    const take = taking({ shown: () => null });
    const picture = await take(seen('e1', gateway('g', 'acknowledged', 99)));
    expect(picture).toMatchObject({ unshown: ['lane-a'], serving: [{ ackStatus: 'silent' }] });
    expect(isComplete(picture)).toBe(false);
    expect(isDeserted(picture)).toBe(false);
  });

  it('while nobody can tell which profiles there are, all cannot have acknowledged', async () => {
    const unreadable = [{ what: 'profiles', why: 'EACCES' }];
    const gateways = [gateway('g', 'acknowledged', 5)];
    const picture = await taking()(state({ unreadable, gateways }));
    expect(picture.unlisted).toBe('EACCES');
    expect(isComplete(picture)).toBe(false);
    const some = taking({ meansAll: false });
    expect(isComplete(await some(state({ unreadable, gateways })))).toBe(true);
  });
});
