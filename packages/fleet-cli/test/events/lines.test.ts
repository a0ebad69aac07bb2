/**
 * What a line says of each type of event, and which events concern a profile: of what any watcher
 * may say, and not only of what ours does.
 */
import { describe, expect, it } from 'vitest';
import { eventFilter } from '../../src/verbs/events/filter.ts';
import { eventLine } from '../../src/verbs/events/text.ts';
import {
  type FleetEvent,
  parseMessage,
  parsePosition,
} from '../../src/watcher-client/event-message.ts';
import { UNSAFE } from '../support/fleet.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const view = { paint: (_style: string, text: string) => text, columns: 80, nowMs: NOW };

function eventOf(type: string, subject: string, data: object, more: object = {}): FleetEvent {
  const time = '2026-11-29T12:00:00+00:00';
  const envelope = { specversion: '1.0', id: 'e-1', type, subject, time, data, ...more };
  const message = parseMessage(undefined, JSON.stringify(envelope));
  if (message.kind !== 'event') throw new Error(`that is ${message.kind}`);
  return message.event;
}

/** What stands after time, type and subject. */
function detailOf(type: string, subject: string, data: object): string {
  const line = eventLine(eventOf(type, subject, data), view);
  return line.split(/ {2,}/).slice(3).join('  ');
}

const hold = { id: 'h', holder: 'sre', reason: 'why', expires_at: null, expires_at_ms: null };
const expires_at_ms = NOW + 7_200_000;

describe('a line tells', () => {
  it.each([
    ['hold.armed', 'root', { hold }, 'sre: why'],
    [
      'hold.armed',
      'root',
      { hold: { ...hold, holder: null, reason: null } },
      '(anonymous): no reason given',
    ],
    [
      'hold.rearmed',
      'root',
      { hold: { ...hold, expires_at_ms } },
      /^sre: why; until 2026-.* \(in 2h\)$/,
    ],
    [
      'hold.armed',
      'root',
      { hold: { ...hold, expires_at: 'soon' } },
      'sre: why; until `soon`, which cannot be read as a time, so the hold never expires',
    ],
    [
      'hold.lifted',
      'root',
      { hold, actor: { user: 'ops', host: 'h1', via: 'fleet resume' } },
      'sre: why; by ops on h1, fleet resume',
    ],
    ['hold.expired', 'root', { hold: { ...hold, expires_at_ms: NOW } }, 'sre: why'],
    [
      'hold.cleared-externally',
      'root',
      { hold, journal: 'no line' },
      'sre: why; the journal does not say who',
    ],
    [
      'hold.cleared-externally',
      'root',
      { hold, journal: 'unreadable: EACCES' },
      'sre: why; whether it was lifted is unknown: the journal is unreadable: EACCES',
    ],
    [
      'hold.unreadable',
      'root',
      { hold: { ...hold, unreadable: 'not-json' } },
      'sre: cannot be read, so it holds: the file is not JSON (not-json)',
    ],
    ['profile.paused', 'profile/lane-a', { profile: 'lane-a', engaged: true }, ''],
    [
      'gateway.connected',
      'gateway/g1',
      { pid: 7, software: 'sample 1', profiles: ['lane-a', 'lane-b'] },
      'sample 1; process 7; serves lane-a, lane-b',
    ],
    [
      'gateway.connected',
      'gateway/g1',
      { pid: 7, software: '', profiles: [], after: 'stale' },
      'process 7; responds again, serves no profile',
    ],
    [
      'gateway.acknowledged',
      'gateway/g1',
      { profile: 'lane-a', revision: 12, in_flight: 3, latency_ms: 0.42 },
      'lane-a at 12 after 0.42 ms; 3 in hand',
    ],
    [
      'gateway.stale',
      'gateway/g1',
      { pid: 7, last_seen_at: '2026-11-29T11:59:00+00:00' },
      /^process 7; last heard 2026-/,
    ],
    ['gateway.gone', 'gateway/g1', { pid: 7, why: 'ended' }, 'process 7; ended'],
    [
      'config.rejected',
      'config',
      { path: '/f/fleet.yaml', problems: ['/f/fleet.yaml:1:2: bad', 'x'], in_force: 'last-good' },
      '/f/fleet.yaml:1:2: bad (and 1 more); the last good settings stay in force',
    ],
    [
      'clock.stepped',
      'clock',
      { from: '2026-11-29T12:00:00+00:00', to: '2026-11-29T14:00:00+00:00', by_ms: 7_199_996 },
      /^set forward by 2h: from 2026-.* to 2026-/,
    ],
    ['clock.stepped', 'clock', { by_ms: -90_000 }, 'set back by 1m 30s: from ? to ?'],
    ['clock.stepped', 'clock', { by_ms: 'x' }, '{"by_ms":"x"}'],
    ['weather.changed', 'sky', { rain: true }, '{"rain":true}'],
  ])('%s of %s: %j', (type, subject, data, expected) => {
    const detail = detailOf(type, subject, data);
    if (typeof expected === 'string') expect(detail).toBe(expected);
    else expect(detail).toMatch(expected);
  });

  it('of any type, data that is nothing of the kind is shown, and nothing is thrown', () => {
    const types = ['hold.armed', 'hold.lifted', 'gateway.connected', 'gateway.acknowledged'];
    for (const type of [
      ...types,
      'gateway.stale',
      'gateway.gone',
      'gateway.x',
      'config.rejected',
    ]) {
      for (const data of [{}, { hold: 1 }, { hold: { holder: 1 } }, { pid: 'x', profiles: 'y' }]) {
        expect(eventLine(eventOf(type, 'a/b/c', data), view)).toContain(type);
      }
    }
  });

  it('no control, wherever it stands, and no more than a line', () => {
    const bad = `\u001b[2J\n\u202e${'x'.repeat(5_000)}`;
    const data = { hold: { holder: bad, reason: bad, expires_at: bad }, profiles: [bad], pid: 1 };
    for (const type of ['hold.armed', 'gateway.connected', 'gateway.gone', `other${bad}`]) {
      const line = eventLine(eventOf(type, bad, { ...data, why: bad }, { time: bad }), view);
      expect(line).not.toMatch(UNSAFE);
      expect(line).not.toContain('\n');
      expect(line.length).toBeLessThan(10_000);
    }
  });
});

describe('-p lane-a shows', () => {
  const filter = () => {
    const made = eventFilter({ types: null, profiles: new Set(['lane-a']) });
    const gateways = [
      { instance: 'a/1', profiles: ['lane-a', 'lane-c'] },
      { instance: 'b', profiles: ['lane-b'] },
    ];
    made.learn({ profiles: [], heldBy: [], unreadable: 0, gateways });
    return made;
  };

  it.each([
    ['hold.armed', 'root', {}, true],
    ['hold.armed', 'cluster', {}, true],
    ['hold.armed', 'profile/lane-a', {}, true],
    ['hold.armed', 'profile/lane-b', {}, false],
    ['profile.removed', 'profile/lane-ab', {}, false],
    ['gateway.acknowledged', 'gateway/b', { profile: 'lane-a' }, true],
    ['gateway.acknowledged', 'gateway/a/1', { profile: 'lane-c' }, false],
    ['gateway.stale', 'gateway/a/1', {}, true],
    ['gateway.stale', 'gateway/b', {}, false],
    ['gateway.gone', 'gateway/nobody-knows', {}, true],
    ['gateway.connected', 'gateway/new', { profiles: ['lane-b'] }, false],
    ['gateway.connected', 'gateway/new', { profiles: ['lane-a'] }, true],
    ['config.rejected', 'config', { path: '/f/fleet.yaml' }, true],
    ['config.rejected', 'config', { path: '/f/profiles/lane-a/profile.yaml' }, true],
    ['config.rejected', 'config', { path: '/f/profiles/lane-b/profile.yaml' }, false],
    ['weather.changed', 'sky', {}, true],
  ])('%s of %s with %j: %j', (type, subject, data, wanted) => {
    expect(filter().isWanted(eventOf(type, subject, data))).toBe(wanted);
  });

  it('a gateway that serves it from now on, until it is gone', () => {
    const { isWanted } = filter();
    expect(isWanted(eventOf('gateway.connected', 'gateway/b', { profiles: ['lane-a'] }))).toBe(
      true,
    );
    expect(isWanted(eventOf('gateway.stale', 'gateway/b', {}))).toBe(true);
    expect(isWanted(eventOf('gateway.gone', 'gateway/b', {}))).toBe(true);
    expect(isWanted(eventOf('gateway.connected', 'gateway/b', { profiles: ['lane-b'] }))).toBe(
      false,
    );
    expect(isWanted(eventOf('gateway.stale', 'gateway/b', {}))).toBe(false);
  });
});

describe('an id of an event', () => {
  it.each([
    ['94fa5f4c8f5afb7d-12', { epoch: '94fa5f4c8f5afb7d', revision: 12 }],
    ['e-0', { epoch: 'e', revision: 0 }],
    ['e', null],
    ['e-', null],
    ['e-1\r\nx: y', null],
    ['E-1', null],
    ['e-1-2', null],
    [`e-${'9'.repeat(16)}`, null],
  ])('%j is %j', (text, position) => {
    expect(parsePosition(text)).toEqual(position);
  });
});
