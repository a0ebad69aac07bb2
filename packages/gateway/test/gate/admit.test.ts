/** Admission decisions from the disk. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arm, formatInstant, lift } from '@fleet-estop/sentinel-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openGate } from '../../src/index.ts';
import { disk, hold, homeOf, liftAll, makeRoot } from '../support/fleets.ts';
import { opened, receiptsIn, refusedBy } from './opened.ts';

const inMs = (ms: number): string => formatInstant(Date.now() + ms);

function servedProfile() {
  const root = makeRoot('a');
  const home = homeOf(root, 'a');
  return { root, home, gate: opened(home, { link: false }) };
}

test('nobody is admitted while a hold moves from the root to the profile', () => {
  const root = makeRoot('a');
  const home = homeOf(root, 'a');
  let armed = false;
  const moving: typeof disk = {
    ...disk,
    lstat(path) {
      // The profile has been read, and the root has not.
      if (path === join(root, '.ESTOP.txn') && armed) {
        armed = false;
        hold(home, 'moved');
        liftAll(root);
      }
      return disk.lstat(path);
    },
  };
  const gate = opened(home, { link: false, disk: moving });
  hold(root, 'first');
  armed = true;
  expect(refusedBy(gate)).toMatchObject({ holds: [{ scope: 'profile', reason: 'moved' }] });
  expect(armed).toBe(false);
});

test('a clock that was set forward is not said to be a sentinel that cannot be removed', () => {
  const root = makeRoot('a');
  const home = homeOf(root, 'a');
  hold(home, 'deploy', { expiresAt: inMs(3_600_000) });
  const ahead = { ...disk, now: () => Date.now() + 7_200_000 };
  const { notice } = refusedBy(opened(home, { link: false, disk: ahead }));
  expect(notice).toContain('by a clock that was set forward since');
  expect(notice).not.toContain('cannot be removed');
});

describe('what holds', () => {
  test('nothing armed admits, whoever asks', () => {
    const { gate } = servedProfile();
    expect(gate.admit({ door: 'turn' })).toEqual({ admitted: true, profile: 'a' });
    expect(gate.admit({ door: 'cron', principal: 'ops' }).admitted).toBe(true);
  });

  test('a hold at the profile, at the root, or at both refuses, until the last one is lifted', () => {
    const { root, home, gate } = servedProfile();
    const near = hold(home, 'near');
    expect(refusedBy(gate).holds.map(({ id, scope }) => [scope, id])).toEqual([['profile', near]]);
    const far = hold(root, 'far');
    expect(refusedBy(gate).holds.map(({ id, scope }) => [scope, id])).toEqual([
      ['profile', near],
      ['root', far],
    ]);
    liftAll(home);
    expect(refusedBy(gate).holds.map(({ reason }) => reason)).toEqual(['far']);
    liftAll(root);
    expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
  });

  test('a hold of the cluster refuses', () => {
    const { root, gate } = servedProfile();
    mkdirSync(join(root, 'cluster'));
    hold(join(root, 'cluster'), 'everywhere');
    expect(refusedBy(gate).holds).toMatchObject([{ scope: 'cluster', reason: 'everywhere' }]);
  });

  test('a hold of another profile refuses nothing here', () => {
    const root = makeRoot('a', 'b');
    hold(homeOf(root, 'b'), 'b only');
    expect(opened(homeOf(root, 'a')).admit({ door: 'turn' }).admitted).toBe(true);
  });

  test('an expired sentinel that nobody has retired admits', () => {
    const { home, gate } = servedProfile();
    writeFileSync(join(home, 'ESTOP'), JSON.stringify({ expires_at: inMs(-1_000) }));
    expect(gate.admit({ door: 'turn' }).admitted).toBe(true);
  });

  test('a deadline ends it in the very moment, without a notice or a timer', () => {
    const { home, gate } = servedProfile();
    const endMs = Date.now() + 60;
    hold(home, 'for a moment', { expiresAt: formatInstant(endMs) });
    let answer = gate.ask({ door: 'turn' });
    expect(answer.admitted).toBe(false);
    while (!answer.admitted) answer = gate.ask({ door: 'turn' });
    expect(Date.now()).toBeGreaterThanOrEqual(endMs);
  });

  test.each([
    ['garbage', (path: string) => writeFileSync(path, '{"expires_at":')],
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
    ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path)],
    ['70 KB', (path: string) => writeFileSync(path, ' '.repeat(70_000))],
  ])('%s in the place of a sentinel refuses everybody', (_what, make) => {
    const { home, gate } = servedProfile();
    make(join(home, 'ESTOP'));
    const refused = refusedBy(gate, { principal: 'ops' });
    expect(refused).toMatchObject({ until: null, retryAfter: 60 });
    expect(refused.holds[0]?.unreadable).toEqual(expect.any(String));
  });

  test('a fleet that is moved or unmounted takes its holds with it, and admits nobody', () => {
    const { root, gate } = servedProfile();
    hold(root, 'audit');
    renameSync(root, `${root}-away`);
    const refused = refusedBy(gate);
    expect(refused).toMatchObject({ until: null, retryAfter: 60 });
    expect(refused.notice).toContain('its home folder is gone');
    expect(gate.dispatch('cron')).toBe(false);
    renameSync(`${root}-away`, root);
    expect(refusedBy(gate).notice).toContain('audit');
    liftAll(root);
    expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
  });

  test.each([
    ['a home that is removed', (home: string) => rmSync(home, { recursive: true })],
    [
      'a home that is a file',
      (home: string) => {
        rmSync(home, { recursive: true });
        writeFileSync(home, '');
      },
    ],
    [
      'a home that is a link to nowhere',
      (home: string) => {
        rmSync(home, { recursive: true });
        symlinkSync('nowhere', home);
      },
    ],
  ])('%s admits nobody, whom the root lets pass included', (_what, spoil) => {
    const { root, home, gate } = servedProfile();
    arm(disk, root, { allow: { userIds: ['ops'] } });
    expect(gate.ask({ door: 'turn', principal: 'ops' }).admitted).toBe(true);
    spoil(home);
    refusedBy(gate, { principal: 'ops' });
    liftAll(root);
    refusedBy(gate, { principal: 'ops' });
  });

  test('whatever is wrong with the code that looks, nobody is admitted by it', () => {
    const { home } = servedProfile();
    let isBroken = false;
    const lstat = (path: string) => {
      if (isBroken) throw new TypeError('no such thing');
      return disk.lstat(path);
    };
    const gate = opened(home, { link: false, disk: { ...disk, lstat } });
    expect(gate.ask({ door: 'turn' }).admitted).toBe(true);
    isBroken = true;
    const refused = refusedBy(gate);
    expect(refused.holds).toMatchObject([{ unreadable: 'TypeError: no such thing' }]);
    expect(refused.notice).toContain('cannot be read');
    expect(gate.dispatch('cron')).toBe(false);
  });
});

describe('who asks', () => {
  const allow = (...userIds: string[]) => ({ userIds });

  test('an allowlist admits whom it names, and refuses the others and the nameless', () => {
    const { home, gate } = servedProfile();
    arm(disk, home, { allow: allow('ops') });
    expect(gate.admit({ door: 'turn', principal: 'ops' }).admitted).toBe(true);
    for (const principal of ['Ops', 'ops ', 'ci', '', null, undefined]) {
      expect(
        gate.ask({ door: 'turn', ...(principal === undefined ? {} : { principal }) }),
      ).toMatchObject({
        admitted: false,
      });
    }
    expect(gate.dispatch('cron')).toBe(false);
  });

  test('who is admitted by one hold and refused by another is refused, by that one', () => {
    const { root, home, gate } = servedProfile();
    arm(disk, home, { allow: allow('ops') });
    hold(root, 'everybody');
    expect(refusedBy(gate, { principal: 'ops' }).holds).toMatchObject([{ reason: 'everybody' }]);
  });

  test('an allowlist of another profile admits nobody here', () => {
    const { root, gate } = servedProfile();
    arm(disk, root, { allow: { userIds: ['ops'], profiles: ['b'] } });
    expect(gate.ask({ door: 'turn', principal: 'ops' }).admitted).toBe(false);
  });

  test('a principal that is no text is nobody', () => {
    const { home, gate } = servedProfile();
    arm(disk, home, { allow: allow('7') });
    const principal = 7 as unknown as string;
    expect(gate.admit({ door: 'turn', principal }).admitted).toBe(false);
    expect(receiptsIn(home)).toMatchObject([{ principal: null }]);
  });
});

describe('until when', () => {
  test('the last of several deadlines, and none where one hold has none', () => {
    const { root, home, gate } = servedProfile();
    const [sooner, later] = [inMs(30_000), inMs(90_000)];
    hold(home, 'a', { expiresAt: later });
    hold(root, 'b', { expiresAt: sooner });
    expect(refusedBy(gate)).toMatchObject({ until: later, retryAfter: 60 });
    expect(refusedBy(gate).holds.map(({ expiresAt }) => expiresAt)).toEqual([later, sooner]);
    arm(disk, root, { holder: 'ops' });
    expect(refusedBy(gate)).toMatchObject({ until: null, retryAfter: 60 });
  });

  test('a caller may ask again when it ends, and never at once', () => {
    const { home } = servedProfile();
    const endMs = Date.now() + 600_000;
    hold(home, 'a', { expiresAt: formatInstant(endMs) });
    let nowMs = endMs - 7_500;
    const gate = opened(home, { link: false, now: () => nowMs });
    expect(refusedBy(gate).retryAfter).toBe(8);
    nowMs = endMs - 1;
    expect(refusedBy(gate).retryAfter).toBe(1);
    nowMs = endMs + 60_000;
    expect(refusedBy(gate).retryAfter).toBe(1);
  });

  test('instants that no calendar has are answered all the same', () => {
    const { home, gate } = servedProfile();
    const text = { engaged_at: '0001-01-01T00:00+14:00', expires_at: '9999-12-31T23:59-14:00' };
    writeFileSync(join(home, 'ESTOP'), JSON.stringify(text));
    const [held] = refusedBy(gate).holds;
    expect(held?.since).toBe('0001-01-01T00:00:00.000+00:00');
    expect(held?.expiresAt).toBe('9999-12-31T23:59:59.999+00:00');
  });
});

describe('which profiles', () => {
  test('one that is served by a gate of several must be named, and one that is not is no answer', () => {
    const root = makeRoot('a', 'b');
    const gate = opened([homeOf(root, 'a'), homeOf(root, 'b')]);
    expect(gate.profiles).toEqual(['a', 'b']);
    hold(homeOf(root, 'b'), 'b only');
    expect(gate.admit({ door: 'turn', profile: 'a' }).admitted).toBe(true);
    expect(gate.admit({ door: 'turn', profile: 'b' }).admitted).toBe(false);
    expect(receiptsIn(homeOf(root, 'b'))).toHaveLength(1);
    const unknown = expect.objectContaining({
      code: 'PROFILE_UNKNOWN',
      hint: expect.stringContaining('`a`, `b`'),
    });
    expect(() => gate.admit({ door: 'turn' })).toThrow(unknown);
    expect(() => gate.admit({ door: 'turn', profile: 'c' })).toThrow(unknown);
    expect(() => gate.dispatch('cron', '__proto__')).toThrow(unknown);
    expect(() => gate.begin({ door: 'cron', id: 'x' })).toThrow(unknown);
    expect(() => gate.inFlight('c')).toThrow(unknown);
  });

  test('the profile `default` is served from the root, and bound by it', () => {
    const root = makeRoot('a');
    const gate = opened([root, homeOf(root, 'a')]);
    expect(gate.profiles).toEqual(['default', 'a']);
    hold(homeOf(root, 'a'), 'a only');
    expect(gate.admit({ door: 'turn', profile: 'default' }).admitted).toBe(true);
    hold(root, 'all');
    expect(gate.admit({ door: 'turn', profile: 'default' }).admitted).toBe(false);
    expect(receiptsIn(root)).toMatchObject([{ profile: 'default' }]);
  });

  test('a profile that is a link is the one it is called, and a home that is a path to it too', () => {
    const root = makeRoot('a');
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-elsewhere-')));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    symlinkSync(elsewhere, homeOf(root, 'linked'));
    symlinkSync(homeOf(root, 'a'), join(elsewhere, 'way'));
    const gate = opened([homeOf(root, 'linked'), join(elsewhere, 'way'), homeOf(root, 'a')]);
    expect(gate.profiles).toEqual(['linked', 'a']);
    hold(elsewhere, 'there');
    expect(gate.ask({ door: 'turn', profile: 'linked' }).admitted).toBe(false);
    expect(gate.ask({ door: 'turn', profile: 'a' }).admitted).toBe(true);
  });

  test.each([
    ['that is not there', 'SCOPE_UNUSABLE', (root: string) => homeOf(root, 'gone')],
    [
      'that is a file',
      'SCOPE_UNUSABLE',
      (root: string) => {
        writeFileSync(homeOf(root, 'file'), '');
        return homeOf(root, 'file');
      },
    ],
    [
      'whose name is none',
      'PROFILE_INVALID',
      (root: string) => {
        mkdirSync(homeOf(root, 'Lane A'));
        return homeOf(root, 'Lane A');
      },
    ],
    [
      'that is called `default` and is not the root',
      'PROFILE_INVALID',
      (root: string) => {
        mkdirSync(homeOf(root, 'default'));
        return homeOf(root, 'default');
      },
    ],
    ['that is empty', 'VALUE_INVALID', () => ''],
    ['among none', 'VALUE_INVALID', () => []],
  ])('a home %s is said at once', (_what, code, make) => {
    const root = makeRoot('a');
    expect(() => openGate({ home: make(root) })).toThrow(
      expect.objectContaining({ code, hint: expect.any(String) }),
    );
  });

  test('two fleets are served by one process, and two profiles of one name are not', () => {
    const [one, two] = [makeRoot('a'), makeRoot('a', 'b')];
    const gate = opened([homeOf(one, 'a'), homeOf(two, 'b')]);
    hold(two, 'the second fleet');
    expect(gate.ask({ door: 'turn', profile: 'a' }).admitted).toBe(true);
    expect(gate.ask({ door: 'turn', profile: 'b' }).admitted).toBe(false);
    expect(() => openGate({ home: [homeOf(one, 'a'), homeOf(two, 'a')] })).toThrow(
      expect.objectContaining({ code: 'PROFILE_INVALID' }),
    );
  });
});

test('a gate that was closed still answers from the disk, and still leaves receipts', () => {
  const { home, gate } = servedProfile();
  gate.close();
  expect(gate.admit({ door: 'turn' }).admitted).toBe(true);
  hold(home, 'late');
  expect(gate.admit({ door: 'turn' }).admitted).toBe(false);
  expect(receiptsIn(home)).toHaveLength(1);
  lift(disk, home, { everyone: true });
  expect(gate.admit({ door: 'turn' }).admitted).toBe(true);
  expect(gate.link()).toEqual({ link: 'closed' });
});
