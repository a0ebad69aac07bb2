/**
 * The lever works without any code of ours: `touch` pauses, `rm` lifts, `cat` explains, and whatever
 * else people write into the file counts.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { EXPIRED, PASSED, sentinelOf, writeSentinel } from '../support/bodies.ts';
import { scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const FREE = { engaged: false, expired: false };
const sh = (command: string, ...words: string[]): string =>
  execFileSync(command, words, { encoding: 'utf8' });

describe('pausing', () => {
  test('`touch` holds, never expires and admits nobody', () => {
    const dir = scopeDir();
    sh('touch', sentinelOf(dir));
    expect(check(disk, dir)).toMatchObject({
      engaged: true,
      holds: [{ holder: null, reason: null, expiresAtMs: null, allow: null }],
      topAllow: null,
    });
  });

  test.each(['echo "stop, please"', 'echo', 'printf "\\0"', 'date', 'echo null', 'echo "[]"'])(
    '`%s > ESTOP` holds as well',
    (command) => {
      const dir = scopeDir();
      sh('sh', '-c', `${command} > "$1"`, 'sh', sentinelOf(dir));
      expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ expiresAtMs: null }] });
    },
  );

  test('a body written by hand holds until the deadline that it names', () => {
    const dir = scopeDir();
    writeSentinel(dir, '\ufeff{"reason": "by hand", "expires_at": "2999-01-01"}\r\n');
    expect(check(disk, dir)).toMatchObject({ engaged: true, holds: [{ reason: 'by hand' }] });
    writeSentinel(dir, `{"reason": "by hand", "expires_at": "${PASSED}"}`);
    expect(check(disk, dir)).toEqual({ engaged: false, expired: true });
  });

  test('`touch` on an expired sentinel that was not retired yet does not hold, as documented', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    sh('touch', sentinelOf(dir));
    expect(check(disk, dir)).toEqual({ engaged: false, expired: true });
  });

  test('`ln -s` holds, also where it points at an expired sentinel', () => {
    const [dir, other] = [scopeDir(), scopeDir()];
    writeSentinel(other, EXPIRED);
    sh('ln', '-s', sentinelOf(other), sentinelOf(dir));
    expect(check(disk, dir)).toMatchObject({ engaged: true, unreadable: 'ELOOP' });
  });
});

describe('lifting', () => {
  test('`rm` lifts everything in that scope, our holds included', () => {
    const dir = scopeDir();
    arm(disk, dir, { holder: 'a' });
    arm(disk, dir, { holder: 'b' });
    sh('rm', sentinelOf(dir));
    expect(check(disk, dir)).toEqual(FREE);
    expect(lift(disk, dir, { holder: 'a' })).toMatchObject({ lifted: false, why: 'absent' });
    expect(arm(disk, dir, { holder: 'a' })).toMatchObject({ armed: true, replaced: null });
  });

  test('`mv` lifts here and pauses there', () => {
    const [here, there] = [scopeDir(), scopeDir()];
    const armed = arm(disk, here, { holder: 'a' });
    sh('mv', sentinelOf(here), sentinelOf(there));
    expect(check(disk, here)).toEqual(FREE);
    expect(check(disk, there)).toMatchObject({ engaged: true, generation: armed.generation });
  });
});

test('`cat` explains: the reason and the deadline stand there as text', () => {
  const dir = scopeDir();
  arm(disk, dir, { reason: 'runaway fan-out', expiresAt: '2999-01-01T00:00:00.000+00:00' });
  const shown = sh('cat', sentinelOf(dir));
  expect(shown).toContain('runaway fan-out');
  expect(shown).toContain('2999-01-01T00:00:00.000+00:00');
});
