/**
 * The failures that were seen in the field, each a test named for it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  exists,
  type Fleet,
  inSeconds,
  makeFleet,
  PASSED,
  place,
} from './support/fleet.ts';

function isAdmitted({ json }: Fleet, lane: string, user: string): boolean {
  return json(['explain', '-p', lane, '--user', user]).document.lanes[0].admitted;
}

describe('re-arming', () => {
  it('a re-arm keeps allowlist and deadline', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--ttl', '1h', '--allow-user', 'u1', '--reason', 'first']);
    const [before] = bodyOf(sentinel()).holds;
    run(['pause', '--reason', 'second']);
    const [after] = bodyOf(sentinel()).holds;
    expect(after).toMatchObject({
      reason: 'second',
      expires_at: before.expires_at,
      allow: before.allow,
    });
  });

  it('two no-flag re-armers lose nothing', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--as', 'a', '--ttl', '1h', '--allow-user', 'u1', '--reason', 'ra']);
    run(['pause', '--as', 'b', '--ttl', '2h', '--allow-user', 'u1', '--reason', 'rb']);
    const before = bodyOf(sentinel()).holds;
    for (const holder of ['a', 'b', 'a', 'b']) run(['pause', '--as', holder]);
    const after = bodyOf(sentinel()).holds;
    const kept = ({ holder, reason, expires_at, allow, engaged_at }: (typeof after)[number]) => ({
      holder,
      reason,
      expires_at,
      allow,
      engaged_at,
    });
    expect(after.map(kept)).toEqual(before.map(kept));
  });
});

describe('who passes', () => {
  it('a profile name admits nobody', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), { allow: { profiles: ['lane-a'] } });
    for (const user of ['lane-a', 'u1', '*']) expect(isAdmitted(fleet, 'lane-a', user)).toBe(false);
  });

  it('the right profile with the wrong user stays paused', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '--allow-user', 'u1', '--allow-profile', 'lane-a']);
    expect(isAdmitted(fleet, 'lane-a', 'u1')).toBe(true);
    expect(isAdmitted(fleet, 'lane-a', 'u2')).toBe(false);
    expect(isAdmitted(fleet, 'lane-a', 'lane-a')).toBe(false);
  });
});

describe('a permissive hold and a strict one', () => {
  const permissive = { allow: { user_ids: ['u1'] }, reason: 'permissive' };
  const strict = { reason: 'strict' };
  const corrupt = '{"allow": {"user_ids": ["u1"]}';
  const expired = { reason: 'expired', expires_at: PASSED };
  const live = { ...permissive, expires_at: inSeconds(3_600) };

  it.each<[string, unknown, unknown, boolean]>([
    ['a permissive profile with a strict root denies', permissive, strict, false],
    ['a strict profile with a permissive root denies', strict, permissive, false],
    ['a permissive profile with a corrupt root denies', permissive, corrupt, false],
    ['a corrupt profile with a permissive root denies', corrupt, permissive, false],
    [
      'an expired permissive profile with a strict root denies',
      { ...live, expires_at: PASSED },
      strict,
      false,
    ],
    [
      'a strict profile with an expired permissive root denies',
      strict,
      { ...live, expires_at: PASSED },
      false,
    ],
    ['an expired strict profile leaves the permissive root to admit', expired, permissive, true],
    ['an expired strict root leaves the permissive profile to admit', permissive, expired, true],
    ['two permissive ones admit', live, permissive, true],
  ])('%s', (_what, profile, root, admitted) => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel('lane-a'), profile);
    place(fleet.sentinel(), root);
    expect(isAdmitted(fleet, 'lane-a', 'u1')).toBe(admitted);
    expect(isAdmitted(fleet, 'lane-a', 'u2')).toBe(false);
  });
});

describe('lifting', () => {
  it('a resume in a profile leaves the root’s hold and says so', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'fleet-wide']);
    run(['pause', '-p', 'lane-a']);
    const { code, stdout, stderr } = run(['resume', '-p', 'lane-a']);
    expect(code).toBe(7);
    expect(exists(sentinel('lane-a'))).toBe(false);
    expect(bodyOf(sentinel()).holds).toHaveLength(1);
    expect(stdout).toContain('STILL PAUSED lane-a');
    expect(stdout).toContain('(root) by operator: fleet-wide');
    expect(stderr).toContain('lane-a is still paused');
  });

  it('not even --everyone in a profile lifts the root', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause']);
    expect(run(['resume', '-p', 'lane-a', '--everyone']).code).toBe(1);
    expect(exists(sentinel())).toBe(true);
  });
});

describe('without any of our code', () => {
  it('`touch` pauses and `rm` lifts', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    writeFileSync(sentinel('lane-a'), '');
    expect(run(['assert', 'paused', '-p', 'lane-a']).code).toBe(0);
    expect(run(['assert', 'running', '-p', 'lane-b']).code).toBe(0);
    writeFileSync(sentinel(), '');
    expect(run(['assert', 'paused']).code).toBe(0);
    rmSync(sentinel());
    rmSync(sentinel('lane-a'));
    expect(run(['assert', 'running']).code).toBe(0);
  });

  it('`rm` lifts what our own pause placed', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--as', 'a']);
    run(['pause', '--as', 'b']);
    rmSync(sentinel());
    expect(run(['assert', 'running']).code).toBe(0);
  });
});
