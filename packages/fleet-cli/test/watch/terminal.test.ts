/**
 * `fleet status --watch` on a terminal: what somebody sees who looks at it.
 */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inSeconds, makeFleet, place, spoil } from '../support/fleet.ts';
import { until } from '../support/live.ts';
import { startInTerminal } from '../support/terminal.ts';

describe('the screen', () => {
  it('shows the state, and each new one in its place', async () => {
    const { root, run, sentinel } = makeFleet('lane-a', 'lane-b');
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/^running: nothing holds .*2 profiles/);
    await terminal.shows(/watching; Ctrl-C ends$/);
    run(['pause', '-p', 'lane-a', '--reason', 'bad deploy']);
    await terminal.shows(/^1 of 2 profiles paused; nothing holds the root\nroot/);
    await terminal.shows(/lane-a +paused +operator +bad deploy/);
    rmSync(sentinel('lane-a'));
    await terminal.shows(/^running: nothing holds/);
    expect(terminal.screen().join('\n')).not.toContain('bad deploy');
    expect(terminal.screen().filter((line) => line.startsWith('lane-a'))).toHaveLength(1);
  });

  it('lets age and time left go on although nothing changes', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), {
      holds: [
        { id: 'x', holder: 'sre', engaged_at: inSeconds(-600), expires_at: inSeconds(600.5) },
      ],
    });
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    const ageAndLeft = () =>
      /lane-a +paused +sre +- +(\d+m(?: \d+s)?) +(\d+m(?: \d+s)?) +nobody/
        .exec(terminal.screen().join('\n'))
        ?.slice(1) ?? [];
    await until(() => ageAndLeft().length === 2);
    const [age, left] = ageAndLeft();
    await until(() => ageAndLeft()[0] !== age && ageAndLeft()[1] !== left);
    expect(ageAndLeft()).toHaveLength(2);
  });

  it('takes away what has expired, when its deadline passes', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { expires_at: inSeconds(2) });
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/^1 of 1 profile paused/);
    await terminal.shows(/^running: .*\(expired, not yet retired\)/s);
  });

  it('says in the frame, and not beside it, what cannot be read', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/lane-a cannot be read, and counts as held.*\n\nwatching/s);
  });

  it('of a large fleet begins with the sum, and says how much it leaves out', async () => {
    const lanes = Array.from({ length: 1000 }, (_, at) => `lane-${at}`);
    const { root, run } = makeFleet(...lanes);
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/^running: nothing holds the root or 1000 profiles\n/);
    await terminal.shows(/\n\.\.\. \d+ more: a taller window or --only paused; .*Ctrl-C ends$/);
    expect(terminal.screen()).toHaveLength(24);
    run(['pause', '-p', 'lane-999']);
    await terminal.shows(/^1 of 1000 profiles paused/);
    expect(terminal.screen()).toHaveLength(24);
  });

  it('of a large fleet shows with --only what matters', async () => {
    const lanes = Array.from({ length: 300 }, (_, at) => `lane-${at}`);
    const { root, run } = makeFleet(...lanes);
    const terminal = startInTerminal(['status', '--root', root, '--watch', '--only', 'paused']);
    await terminal.shows(/shown: 0 of 300 profiles \(--only paused\)/);
    run(['pause', '-p', 'lane-77']);
    await terminal.shows(/lane-77 +paused.*shown: 1 of 300 profiles/s);
    expect(terminal.screen().filter((line) => line.startsWith('lane-'))).toHaveLength(1);
  });

  it('is painted anew when the window has another size', async () => {
    const lanes = Array.from({ length: 30 }, (_, at) => `lane-${at}`);
    const { root } = makeFleet(...lanes);
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/more: a taller window/);
    terminal.resize(60, 80);
    await terminal.shows(
      /lane-9 +running\n\nacknowledgements are unknown: .*\n\nwatching; Ctrl-C ends$/,
    );
    terminal.resize(12, 80);
    await terminal.shows(
      /^running.*\nacknowledgements are unknown: .*\n.* more: a taller window.*ends$/s,
    );
    expect(terminal.screen()).toHaveLength(12);
  });

  it('shows lines that fill the window to their last character', async () => {
    const { root, run } = makeFleet('lane-a');
    run(['pause', '-p', 'lane-a', '--reason', 'long '.repeat(20), '--allow-user', 'u-123456789']);
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/ MAY PASS\n/);
    await terminal.shows(/ u-123456789\n/);
    const lines = terminal.screen().filter((line) => line.endsWith('u-123456789'));
    expect(lines.map(({ length }) => length)).toEqual([80]);
  });

  it.each([1, 2, 3])('of %i rows has its sum, however often it is painted', async (rows) => {
    const { root } = makeFleet('lane-a');
    const terminal = startInTerminal(['status', '--root', root, '--watch'], { rows, columns: 80 });
    await terminal.shows(/^running: nothing holds/);
    const painted = () => terminal.stdout().split('\u001b[H').length;
    await until(() => painted() > 2);
    expect(terminal.screen()[0]).toMatch(/^running: nothing holds/);
    expect(terminal.screen()).toHaveLength(rows);
  });

  it('is not another one: the last state stays to be read', async () => {
    const { root } = makeFleet('lane-a');
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/watching/);
    terminal.press('\u0003');
    expect((await terminal.ended).code).toBe(0);
    expect(terminal.stdout()).not.toContain('?1049h');
    expect(terminal.screen().join('\n')).toMatch(/^running: .*\n\nwatching; Ctrl-C ends/s);
  });
});

describe('the end', () => {
  it('by Ctrl-C is a success, whatever the last state was', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const terminal = startInTerminal(['status', '--root', root, '--watch']);
    await terminal.shows(/UNREADABLE/);
    terminal.press('\u0003');
    expect((await terminal.ended).code).toBe(0);
  });
});

it('a terminal that cannot be told where to write gets one state after the other', async () => {
  const { root, run } = makeFleet('lane-a');
  const words = ['status', '--root', root, '--watch'];
  const terminal = startInTerminal(words, { rows: 40, columns: 80 }, { TERM: 'dumb' });
  await terminal.shows(/^at .*\nrunning/);
  run(['pause']);
  await terminal.shows(/\n\nat .*\nPAUSED/s);
  expect(terminal.stdout()).not.toContain('\u001b');
});
