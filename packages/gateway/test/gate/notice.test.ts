/** The notice: one line, safe for a terminal whatever the file contains. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/gate/notice.ts';
import type { RefusingHold } from '../../src/index.ts';
import { disk, homeOf, makeRoot } from '../support/fleets.ts';
import { opened, refusedBy } from './opened.ts';

const NOW = Date.UTC(2026, 10, 29, 14, 30);
const HOLD: RefusingHold = {
  scope: 'profile',
  id: 'h1',
  holder: 'operator',
  reason: 'bad deploy',
  since: '2026-11-29T14:02:59.000+00:00',
  expiresAt: null,
  unreadable: null,
};
const at = (time: string): string => `2026-11-29T${time}.000+00:00`;

describe('a notice', () => {
  test.each<[string, Partial<RefusingHold>[], string | null, string]>([
    [
      'says what, why, who, since when, and that somebody has to act',
      [{}],
      null,
      'New work on lane-a is paused: bad deploy (operator, since 14:02 UTC). It continues when somebody resumes it.',
    ],
    [
      'says until when, never too early',
      [{ expiresAt: at('14:59:01') }],
      at('14:59:01'),
      'New work on lane-a is paused: bad deploy (operator, since 14:02 UTC, until 15:00 UTC). It continues by itself then, or when somebody resumes it.',
    ],
    [
      'says the day where that is not today',
      [{ since: '2026-11-28T23:59:00.000+00:00', expiresAt: '2026-12-01T06:00:00.000+00:00' }],
      '2026-12-01T06:00:00.000+00:00',
      'New work on lane-a is paused: bad deploy (operator, since 2026-11-28 23:59 UTC, until 2026-12-01 06:00 UTC). It continues by itself then, or when somebody resumes it.',
    ],
    [
      'says that it is not this profile alone',
      [{ scope: 'root' }],
      null,
      'New work on lane-a is paused: bad deploy (the whole fleet, operator, since 14:02 UTC). It continues when somebody resumes it.',
    ],
    [
      'names several holds, and when the last of them ends',
      [
        { expiresAt: at('14:40:00') },
        { holder: 'deploy', reason: null, since: null, expiresAt: at('14:50:00') },
      ],
      at('14:50:00'),
      'New work on lane-a is paused by 2 holds: bad deploy (operator, since 14:02 UTC, until 14:40 UTC); deploy, until 14:50 UTC. It continues by itself at 14:50 UTC, or when somebody resumes it.',
    ],
    [
      'counts what it does not name',
      [{}, {}, {}, {}, {}].map((_, n) => ({ reason: `r${n}`, holder: null, since: null })),
      null,
      'New work on lane-a is paused by 5 holds: r0; r1; r2; and 2 more. It continues when somebody resumes it.',
    ],
    [
      'of an empty file says nothing but that it is paused',
      [{ holder: null, reason: null, since: null, unreadable: 'empty' }],
      null,
      'New work on lane-a is paused. It continues when somebody resumes it.',
    ],
    [
      'says that a sentinel cannot be read, and why',
      [{ scope: 'root', holder: null, reason: null, since: null, unreadable: 'EACCES' }],
      null,
      'New work on lane-a is paused: its sentinel cannot be read (EACCES), the whole fleet. It continues when that is repaired, or when somebody resumes it.',
    ],
    [
      'says that an expired sentinel still holds, and why',
      [{ expiresAt: at('14:10:00') }],
      null,
      'New work on lane-a is paused: bad deploy (operator, since 14:02 UTC, expired at 14:10 UTC, but its sentinel cannot be removed from here). It continues when somebody resumes it.',
    ],
  ])('%s', (_what, holds, until, notice) => {
    const all = holds.map((hold) => ({ ...HOLD, ...hold }));
    expect(noticeOf('lane-a', all, until, NOW)).toBe(notice);
  });
});

describe('text from a file', () => {
  const reasonOf = (reason: string): string =>
    noticeOf('lane-a', [{ ...HOLD, holder: null, since: null, reason }], null, NOW);

  test.each([
    ['line breaks and tabs', 'a\r\nb\tc\u2028d', 'a b c d'],
    ['controls and escapes', 'a\u0000\u001b[31mb\u009b0m\u007f', 'a[31mb0m'],
    ['bidi marks and isolates', '\u202eevil\u202c \u2066x\u2069\u200f', 'evil x'],
    ['what has no width', 'a\u200b\ufeff\u00adb\u{e0041}\ufe0f', 'ab\ufe0f'],
    ['halves of a character', 'a\ud800b', 'ab'],
    ['letters that are drawn as nothing', 'a\u3164\u115f\uffa0b', 'ab'],
    ['spaces, as many as there are', '  a     b  ', 'a b'],
  ])('shows no %s', (_what, reason, shown) => {
    expect(reasonOf(reason)).toBe(
      `New work on lane-a is paused: ${shown}. It continues when somebody resumes it.`,
    );
  });

  test('that hides everything it says is no reason at all', () => {
    expect(reasonOf('\u200b\u202e\n')).toBe(
      'New work on lane-a is paused. It continues when somebody resumes it.',
    );
  });

  test('is cut, between characters, however long it is and whatever was hidden in it', () => {
    const long = reasonOf('😀'.repeat(10_000));
    expect(long).toContain(`${'😀'.repeat(199)}…`);
    expect(reasonOf(`${'\u200b'.repeat(60_000)}x`).length).toBeLessThan(400);
    const many = Array.from({ length: 64 }, () => ({ ...HOLD, reason: 'x'.repeat(9_999) }));
    expect(noticeOf('lane-a', many, null, NOW).length).toBeLessThan(700);
  });

  test('of a holder is cleaned and cut too', () => {
    const holder = `\u001b]0;title\u0007${'h'.repeat(500)}`;
    const notice = noticeOf('lane-a', [{ ...HOLD, holder, reason: null, since: null }], null, NOW);
    expect(notice).toMatch(/^New work on lane-a is paused: \]0;titleh{30,40}…\. It continues/);
  });
});

test('a gate tells it of what stands on disk, and gives programs the text as it stands there', () => {
  const root = makeRoot('a');
  arm(disk, homeOf(root, 'a'), { reason: 'one\ntwo\u202e', holder: 'ops' });
  const refused = refusedBy(opened(homeOf(root, 'a')));
  expect(refused.notice).toMatch(
    /^New work on a is paused: one two \(ops, since [\d: -]+ UTC\)\. /,
  );
  expect(refused.holds).toMatchObject([{ reason: 'one\ntwo\u202e', holder: 'ops' }]);
});

test('a deadline that cannot be understood is none', () => {
  const root = makeRoot('a');
  const body = { reason: 5, engaged_at: 'once upon a time', expires_at: 'tomorrow' };
  writeFileSync(join(homeOf(root, 'a'), 'ESTOP'), JSON.stringify(body));
  const { holds, notice, until } = refusedBy(opened(homeOf(root, 'a')));
  expect(holds).toMatchObject([{ since: null, expiresAt: null, reason: '5' }]);
  expect(until).toBe(null);
  expect(notice).toBe('New work on a is paused: 5. It continues when somebody resumes it.');
});

test('a folder in the place of a sentinel is said to be one that cannot be read', () => {
  const root = makeRoot('a');
  mkdirSync(join(homeOf(root, 'a'), 'ESTOP'));
  expect(refusedBy(opened(homeOf(root, 'a'))).notice).toMatch(
    /^New work on a is paused: its sentinel cannot be read \(\w+\)\. It continues when that is repaired/,
  );
});
