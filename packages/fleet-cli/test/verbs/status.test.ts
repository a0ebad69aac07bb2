import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  everythingBelow,
  inSeconds,
  makeFleet,
  PASSED,
  place,
  spoil,
  spoilProfiles,
} from '../support/fleet.ts';

describe('the table', () => {
  it('of a free fleet has a summary, the root and where it came from, and one line a profile', () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    const { code, stdout, stderr } = run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'running: nothing holds the root or 2 profiles',
      `root ${root} (--root)`,
      '',
      'SCOPE   STATE',
      '(root)  running',
      'lane-a  running',
      'lane-b  running',
      '',
      'acknowledgements are unknown: no watcher runs',
      '',
    ]);
  });

  it('of a paused profile has holder, reason, age, time left and who may pass', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    const words = ['--reason', 'fan-out', '--ttl', '2d', '--allow-user', 'u1'];
    run(['pause', '-p', 'lane-a', '--as', 'deploy', ...words]);
    const { stdout } = run(['status']);
    expect(stdout).toContain('1 of 2 profiles paused; nothing holds the root');
    expect(stdout).toMatch(/SCOPE +STATE +BY +REASON +AGE +LEFT +MAY PASS\n/);
    expect(stdout).toMatch(/lane-a +paused +deploy +fan-out +\ds +1d 23h +u1\n/);
  });

  it('of a paused root shows what holds each profile', () => {
    const { run } = makeFleet('lane-a');
    run(['pause']);
    const { stdout } = run(['status']);
    expect(stdout).toMatch(/^PAUSED: the root is held, and with it 1 profile\n/);
    expect(stdout).toMatch(/\(root\) +paused +operator +- +\ds +no end +nobody\n/);
    expect(stdout).toMatch(/lane-a +paused +\(root\)\n/);
  });

  it('shows no age for a hold that starts in the future by a wrong clock', () => {
    const { root, run } = makeFleet('lane-a');
    const since = new Date(Date.now() + 7_200_000).toISOString();
    place(`${root}/ESTOP`, JSON.stringify({ engaged_at: since, reason: 'ahead' }));
    expect(run(['status']).stdout).toMatch(/\(root\) +paused +.* +ahead +\? +no end/);
  });

  it('several holds of one scope have a line each', () => {
    const { run } = makeFleet('lane-a');
    for (const holder of ['a', 'b']) run(['pause', '-p', 'lane-a', '--as', holder]);
    expect(run(['status']).stdout).toMatch(/lane-a +paused +a .*\n +b /);
  });

  it('fits 80 columns where there are no more, whatever the reasons', () => {
    const { run } = makeFleet('lane-a', 'x'.repeat(64));
    const words = [
      '--reason',
      '理由 '.repeat(60),
      '--allow-user',
      'u'.repeat(60),
      '--as',
      'h'.repeat(64),
    ];
    run(['pause', '-p', 'lane-a', '-p', 'x'.repeat(64), '--ttl', '99d', ...words]);
    const { stdout } = run(['status'], { env: { COLUMNS: '80' } });
    const lines = stdout.split('\n').slice(3);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(lines.some((line) => line.includes('理由'))).toBe(true);
  });

  it('a reason that does not fit has a line of its own, and the whole of it', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    const reason = 'the export of last night wrote every row twice';
    run(['pause', '-p', 'lane-a', '--reason', reason, '--allow-user', 'anna']);
    run(['pause', '-p', 'lane-b', '--reason', 'short']);
    const { stdout } = run(['status'], { env: { COLUMNS: '60' } });
    expect(stdout).toMatch(new RegExp(`^lane-a .*\\n {4}${reason}\\nlane-b .* short `, 'm'));
  });

  it('off a terminal nothing is cut: what is written to a file is all there is', () => {
    const { run } = makeFleet('lane-a', 'x'.repeat(64));
    const reason = 'r'.repeat(900);
    run(['pause', '-p', 'x'.repeat(64), '--reason', reason, '--as', 'h'.repeat(64)]);
    for (const verb of ['status', 'history']) {
      const { stdout } = run([verb]);
      expect(stdout).toMatch(new RegExp(`x{64} .*h{64} +${reason}`));
      expect(stdout).not.toContain('...');
    }
  });

  it('with -p shows those profiles alone, and the root that binds them', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    const { stdout } = run(['status', '-p', 'lane-b']);
    expect(stdout).toContain('(root)');
    expect(stdout).toContain('lane-b');
    expect(stdout).not.toContain('lane-a');
  });

  it('the profile `default` is shown once the root has a profile.yaml, and -p names it anyway', () => {
    const { root, run } = makeFleet('lane-a');
    expect(run(['status', '-p', 'default']).stdout).toMatch(/default +running/);
    expect(run(['status']).stdout).not.toContain('default');
    writeFileSync(join(root, 'profile.yaml'), '');
    run(['pause']);
    expect(run(['status']).stdout).toMatch(/default +paused +\(root\)/);
  });

  it('folders that are no profiles are reported', () => {
    const { run, folder } = makeFleet('lane-a', 'Not A Lane');
    symlinkSync('gone', folder('broken'));
    const { code, stdout } = run(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain('not a profile: profiles/Not A Lane: not a profile name');
    expect(stdout).toContain('not a profile: profiles/broken: a link that leads nowhere');
  });
});

describe('what is expired', () => {
  it('is free, is said to lie there, and is not removed by looking', () => {
    const { json, run, root, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { expires_at: PASSED });
    const before = everythingBelow(root);
    expect(run(['status']).stdout).toMatch(/lane-a +running +\(expired, not yet retired\)/);
    expect(json(['status']).document.lanes[0]).toMatchObject({
      state: 'free',
      scope: { expired: true, holds: [] },
    });
    for (const verb of [['explain'], ['assert', 'running'], ['status', '--json']]) run(verb);
    expect(everythingBelow(root)).toEqual(before);
  });

  it('is held where this user may not remove it, since a gateway of that user stays held', () => {
    const { json, run, folder, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { expires_at: PASSED });
    chmodSync(folder('lane-a'), 0o555);
    const { stdout } = run(['status'], { ordinary: true });
    const { document } = json(['status'], { ordinary: true });
    chmodSync(folder('lane-a'), 0o755);
    expect(stdout).toMatch(/lane-a +paused .*\(expired, and t/);
    expect(document.lanes[0]).toMatchObject({ state: 'paused', scope: { expired: true } });
  });
});

describe('what was looked at and is no body plainly holds, and says why', () => {
  it.each<[string, (path: string) => void]>([
    ['a torn file', (path) => place(path, '{"holds":')],
    ['a file of other bytes', (path) => writeFileSync(path, Buffer.from([0xe9, 0x00]))],
    ['a file that is too large', (path) => place(path, ' '.repeat(65_537))],
    ['a folder', (path) => mkdirSync(path)],
    ['a link that leads nowhere', (path) => symlinkSync('gone', path)],
    ['an entry that is no hold', (path) => place(path, { holds: [42] })],
  ])('%s', (_what, make) => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b');
    make(sentinel('lane-a'));
    const { code, stdout, stderr } = run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/lane-a +paused .*cannot be read, so it holds: /);
    expect(stdout).toMatch(/lane-b +running/);
    expect(run(['assert', 'paused', '-p', 'lane-a']).code).toBe(0);
    const { document } = json(['status']);
    expect(document.lanes[0]).toMatchObject({ profile: 'lane-a', state: 'paused' });
    expect(document.lanes[0].scope.unreadable).toBeTypeOf('string');
  });

  it.each<[string, string | Buffer]>([
    ['plain text', 'deploy till noon\nask ada\n'],
    ['text in UTF-16', Buffer.from('\ufeffdeploy till noon\r\n', 'utf16le')],
  ])('%s is its reason, by its first line', (_what, text) => {
    const { run, sentinel } = makeFleet('lane-a');
    writeFileSync(sentinel('lane-a'), text);
    expect(run(['status']).stdout).toMatch(/lane-a +paused .*deploy till noon/);
    expect(run(['explain', '-p', 'lane-a']).stdout).toContain('deploy till noon');
    expect(run(['assert', 'paused', '-p', 'lane-a']).code).toBe(0);
    expect(run(['assert', 'running', '-p', 'lane-a']).code).toBe(1);
  });

  it('what is in another encoding than UTF-8 is named so', () => {
    const { run, sentinel } = makeFleet('lane-a');
    writeFileSync(sentinel('lane-a'), Buffer.from([0xe9, 0x74, 0xe9]));
    expect(run(['status']).stdout).toContain('in another encoding than UTF-8');
  });
});

describe('what could not be looked at counts as held, and makes it exit 3', () => {
  it('a link where the owner of a tenure would be', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    spoil(sentinel('lane-a'));
    const { code, stdout, stderr } = run(['status']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/lane-a +UNREADABLE/);
    expect(stdout).toMatch(/lane-b +running/);
    expect(stderr).toContain('lane-a cannot be read, and counts as held');
  });

  it('a folder that may not be entered, by name', () => {
    const { run, folder } = makeFleet('lane-a');
    chmodSync(folder('lane-a'), 0);
    const { code, stdout, stderr } = run(['status'], { ordinary: true });
    chmodSync(folder('lane-a'), 0o755);
    expect(code).toBe(3);
    expect(stdout).toMatch(/lane-a +UNREADABLE/);
    expect(stderr).toContain('lane-a cannot be read');
    expect(stderr).toContain('this user may not read it (EACCES)');
  });

  it('a sentinel that may not be read', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause']);
    chmodSync(sentinel(), 0);
    const { code, stdout, stderr } = run(['status'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('this user may not read it (EACCES)');
    expect(stdout + stderr).not.toContain('may not write');
  });

  it('profiles that cannot be listed', () => {
    const { root, json, run } = makeFleet();
    spoilProfiles(root);
    const { code, stdout } = run(['status']);
    expect(code).toBe(3);
    expect(stdout).toContain('the profiles cannot be listed');
    expect(stdout).not.toContain('there is none');
    expect(json(['status']).document.profiles_unreadable).toBe('ENOTDIR');
  });

  it('a root that may not be entered', () => {
    const { root, run } = makeFleet('lane-a');
    chmodSync(root, 0);
    const { code } = run(['status'], { ordinary: true });
    const profile = run(['status', '-p', 'lane-a'], { ordinary: true });
    chmodSync(root, 0o755);
    expect(code).toBe(3);
    expect(profile.code).toBe(3);
  });
});

describe('an empty file', () => {
  it('is a pause like any other, and no trouble', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    place(sentinel(), '');
    const { code, stdout } = run(['status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\(root\) +paused +\(anonymous\)/);
    expect(json(['status']).document).toMatchObject({ state: 'paused', held_by: ['root'] });
  });
});

describe('as JSON', () => {
  it('one document with every scope, hold and profile', () => {
    const { root, json, run, sentinel } = makeFleet('lane-a');
    const deadline = inSeconds(3_600);
    const hold = { id: 'h', holder: 'sre', reason: 'r', expires_at: deadline };
    place(sentinel('lane-a'), { generation: 'g', expires_at: deadline, holds: [hold] });
    run(['pause', '--allow-user', 'u1']);
    const { code, document } = json(['status']);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      schema: 'fleet/status/v1',
      root,
      root_source: '--root',
      state: 'paused',
      held_by: ['root'],
      may_pass: { user_ids: ['u1'], profiles: null },
      profiles: 1,
      profiles_paused: 1,
      profiles_unreadable: null,
      rejected: [],
      skipped: [],
    });
    expect(document.scopes.map((scope: { kind: string }) => scope.kind)).toEqual([
      'root',
      'cluster',
    ]);
    expect(document.lanes).toEqual([
      {
        profile: 'lane-a',
        state: 'paused',
        held_by: ['profile', 'root'],
        may_pass: null,
        work: { count: 0, unproven: 0, wedged: 0, complete: true, oldest: null },
        scope: {
          kind: 'profile',
          profile: 'lane-a',
          sentinel: sentinel('lane-a'),
          state: 'paused',
          holds: [
            {
              id: 'h',
              holder: 'sre',
              reason: 'r',
              engaged_at: null,
              expires_at: deadline,
              seconds_left: expect.any(Number),
              allow: null,
              actor: null,
              unreadable: null,
            },
          ],
          generation: 'g',
          may_pass: null,
          unreadable: null,
          expired: false,
          under_way: false,
        },
        gateways: null,
        gateway_absent: null,
        revision: null,
      },
    ]);
    expect(document.watcher).toEqual({ reached: false, why: 'it does not run', epoch: null });
  });
});

/** Columns of a terminal: the reasons here are of wide characters. */
const widthOf = (line: string): number =>
  [...line].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0);
