/**
 * `fleet events` beside a real watcher: what happens is told while it happens.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '@fleet-estop/protocol';
import { events } from '@fleet-estop/protocol/schemas';
import { describe, expect, it } from 'vitest';
import { makeFleet, UNSAFE } from '../support/fleet.ts';
import { until } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import { documentsOf, eventLines, follow, typesOf, untilTypes } from './following.ts';

describe('text', () => {
  it('is a line for each event, after the root and what stands', async () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    await startWatcher(root);
    const live = await follow(root);
    run(['pause', '-p', 'lane-a', '--reason', 'bad deploy', '--ttl', '1h']);
    await live.prints('profile.paused');
    run(['resume', '-p', 'lane-a']);
    await live.prints('hold.lifted');
    expect(live.stdout()).toMatch(/^root .* \(--root\)\nnow 0 of 2 profiles paused\n/);
    const [armed, paused, ...rest] = eventLines(live);
    expect(armed).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00 {2}hold\.armed +profile\/lane-a +operator: bad deploy; until .* \(in 59m \d\ds\)$/,
    );
    expect(paused).toMatch(/profile\.paused +profile\/lane-a$/);
    expect(rest.join('\n')).toMatch(
      /hold\.lifted +profile\/lane-a +operator: bad deploy; by tester on .*, fleet resume$/m,
    );
    expect(live.stderr()).toBe('');
  });

  it('shows no text of anybody’s as it is', async () => {
    const { root, run } = makeFleet('lane-a');
    await startWatcher(root);
    const live = await follow(root);
    run(['pause', '--reason', 'x\u001b[2J\u202e\r\n2026-11-29 hold.lifted']);
    await live.prints('profile.paused');
    expect(live.stdout()).toContain('x\\u{1b}[2J\\u{202e}\\u{d}\\u{a}2026-11-29 hold.lifted');
    expect(live.stdout()).not.toMatch(UNSAFE);
    expect(eventLines(live)).toHaveLength(2);
  });
});

describe('--json', () => {
  it('is one CloudEvents envelope to a line, and nothing else', async () => {
    const { root, run } = makeFleet('lane-a');
    await startWatcher(root);
    const live = await follow(root, '--json', '--recent', '5');
    run(['pause', '--reason', 'one\ntwo\u2028three\u001b']);
    await untilTypes(live, 'hold.armed', 'profile.paused');
    expect(live.stdout()).not.toMatch(UNSAFE);
    const [armed, paused] = documentsOf(live);
    expect(armed).toMatchObject({
      specversion: '1.0',
      id: `${armed.epoch}-${armed.revision}`,
      type: 'hold.armed',
      subject: 'root',
      datacontenttype: 'application/json',
      data: { scope: 'root', hold: { holder: 'operator', reason: 'one\ntwo\u2028three\u001b' } },
    });
    expect(armed.source).toMatch(/^file:\/\/[^/]+\//);
    expect(paused).toMatchObject({ type: 'profile.paused', subject: 'profile/lane-a' });
  });

  it('says which settings were refused', async () => {
    const { root } = makeFleet('lane-a');
    await startWatcher(root);
    const live = await follow(root, '--json', '--recent', '5');
    writeFileSync(join(root, 'fleet.yaml'), 'version: [');
    await untilTypes(live, 'config.rejected');
  });
});

describe('what was asked for', () => {
  it('-p: what concerns that profile, the root included', async () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    await startWatcher(root);
    const all = await follow(root);
    const some = await follow(root, '-p', 'lane-a');
    run(['pause', '-p', 'lane-b', '--reason', 'not theirs']);
    run(['pause', '-p', 'lane-a', '--reason', 'theirs']);
    run(['pause', '--reason', 'everybody’s']);
    await some.prints('everybody’s');
    await all.prints('everybody’s');
    expect(some.stdout()).toContain('now 0 of 1 profile paused');
    expect(all.stdout()).toContain('not theirs');
    expect(some.stdout()).not.toContain('not theirs');
    expect(eventLines(some).map((line) => line.split(/ {2,}/)[2])).toEqual([
      'profile/lane-a',
      'profile/lane-a',
      'root',
    ]);
  });

  it('--type: those that fit, * for any text', async () => {
    const { root, run } = makeFleet('lane-a');
    await startWatcher(root);
    const live = await follow(root, '--type', 'hold.*ed', '--type', 'profile.running');
    run(['pause']);
    run(['resume']);
    await live.prints('hold.lifted');
    expect(
      eventLines(live)
        .map((line) => line.split(/ {2,}/)[1])
        .sort(),
    ).toEqual(['hold.armed', 'hold.lifted', 'profile.running']);
  });

  it('--recent: the last ones first; --since: what came after one of them', async () => {
    const { root, run } = makeFleet('lane-a');
    await startWatcher(root);
    const first = await follow(root, '--json', '--recent', '200');
    run(['pause']);
    await untilTypes(first, 'profile.paused');
    const [armed] = documentsOf(first);
    const recent = await follow(root, '--json', '--recent', '1');
    await untilTypes(recent, 'profile.paused');
    const since = await follow(root, '--json', '--since', armed.id);
    await untilTypes(since, 'profile.paused');
    run(['resume']);
    await until(() =>
      [first, recent, since].every((live) => typesOf(live).includes('hold.lifted')),
    );
    const ids = documentsOf(first).map(({ id }) => id);
    expect(documentsOf(recent).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(documentsOf(since).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it('knows every type that a watcher tells, and no other', () => {
    const described = events.event.options.map(({ shape }) => [...shape.type.values]);
    expect([...EVENT_TYPES].sort()).toEqual(described.flat().sort());
  });
});

describe('what is mistaken is refused before anything is followed', () => {
  it.each([
    ['an unknown profile', ['-p', 'nope'], 'no profile `nope`'],
    ['a type that no event has', ['--type', 'hold.armd'], 'did you mean hold.armed'],
    ['a pattern that fits none', ['--type', 'lane.*'], 'matches no event type'],
    ['a time in place of an id', ['--since', '2h'], 'fleet history --since'],
    ['too many recent ones', ['--recent', '201'], 'from 1 to 200'],
    ['both at once', ['--recent', '1', '--since', 'e-1'], '--recent'],
    ['an empty type', ['--type', ''], 'empty'],
    ['following in silence', ['--quiet'], '--quiet'],
    ['a stray word', ['hold.armed'], 'stray'],
  ])('%s', (_what, words, complaint) => {
    const { code, stdout, stderr } = makeFleet('lane-a').run(['events', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^no events: /);
    expect(stderr).toContain(complaint);
  });
});
