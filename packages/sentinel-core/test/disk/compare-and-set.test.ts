/**
 * Arming only if the generation on disk is the one that was seen.
 * That exactly one of two concurrent processes wins is shown by the explorer and the stress run.
 */
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import {
  EXPIRED,
  holdsOf,
  LATER,
  STANDING,
  sentinelOf,
  textOf,
  writeSentinel,
} from '../support/bodies.ts';
import { errno, fullFrom } from '../support/ports.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();

describe('where nothing is expected', () => {
  test('the first of two arms wins, and the second is told of the conflict', () => {
    const dir = scopeDir();
    const first = arm(disk, dir, { holder: 'a', expectGeneration: null });
    const second = arm(disk, dir, { holder: 'b', expectGeneration: null });
    expect(first).toMatchObject({ armed: true });
    expect(second).toMatchObject({
      armed: false,
      why: 'conflict',
      engaged: true,
      generation: first.generation,
      holds: [{ holder: 'a' }],
    });
    expect(holdsOf(dir)).toHaveLength(1);
  });

  test('an expired sentinel is nothing', () => {
    const dir = scopeDir();
    writeSentinel(dir, EXPIRED);
    expect(arm(disk, dir, { expectGeneration: null })).toMatchObject({ armed: true });
  });

  test.each([
    ['an empty file', (dir: string) => writeSentinel(dir, '')],
    ['a folder', (dir: string) => mkdirSync(sentinelOf(dir))],
  ])('%s is something', (_what, place) => {
    const dir = scopeDir();
    place(dir);
    expect(arm(disk, dir, { expectGeneration: null })).toMatchObject({
      armed: false,
      why: 'conflict',
      engaged: true,
    });
  });
});

describe('where a generation is expected', () => {
  test('an arm on that generation wins, and a second one on it does not', () => {
    const dir = scopeDir();
    writeSentinel(dir, STANDING);
    const first = arm(disk, dir, { holder: 'a', expectGeneration: 'G' });
    expect(first).toMatchObject({ armed: true });
    const before = textOf(dir);
    expect(arm(disk, dir, { holder: 'b', expectGeneration: 'G' })).toMatchObject({
      armed: false,
      why: 'conflict',
      generation: first.generation,
    });
    expect(textOf(dir)).toBe(before);
  });

  test.each([
    ['nothing stands there', null, false],
    ['another generation stands there', { ...STANDING, generation: 'H' }, true],
    ['a body without a generation stands there', { reason: 'r' }, true],
    ['that generation has expired', { ...EXPIRED, generation: 'G' }, false],
  ])('an arm loses when %s', (_what, body, engaged) => {
    const dir = scopeDir();
    if (body !== null) writeSentinel(dir, body);
    expect(arm(disk, dir, { expectGeneration: 'G' })).toMatchObject({
      armed: false,
      why: 'conflict',
      engaged,
    });
    expect(check(disk, dir).engaged).toBe(engaged);
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('its own last generation lets a holder extend its deadline', () => {
    const dir = scopeDir();
    const { generation } = arm(disk, dir, { holder: 'me' });
    const again = arm(disk, dir, { holder: 'me', expiresAt: LATER, expectGeneration: generation });
    expect(again).toMatchObject({ armed: true, hold: { expiresAt: LATER } });
  });
});

test('on a full disk nothing is placed by blunter means', () => {
  for (let nth = 1; ; nth++) {
    const dir = scopeDir();
    const full = fullFrom(disk, nth);
    const answer = arm(full.disk, dir, { expectGeneration: null });
    if (!full.failed()) {
      expect(answer).toMatchObject({ armed: true });
      return;
    }
    expect(answer, `full from call ${nth}`).toMatchObject({
      armed: false,
      why: 'ENOSPC',
      engaged: false,
    });
    expect(check(disk, dir), `full from call ${nth}`).toEqual({ engaged: false, expired: false });
  }
});

test.each([
  ['over nothing', null],
  ['over an expired sentinel', EXPIRED],
])('where no tenure can be had, nothing is placed by blunter means %s', (_where, body) => {
  const dir = scopeDir();
  if (body !== null) writeSentinel(dir, body);
  const withoutFolders = {
    ...disk,
    mkdir() {
      throw errno('ENOSPC');
    },
  };
  expect(arm(withoutFolders, dir, { expectGeneration: null })).toMatchObject({
    armed: false,
    why: 'ENOSPC',
    engaged: false,
  });
  expect(check(disk, dir)).toEqual({ engaged: false, expired: body !== null });
  expect(arm(withoutFolders, dir, {})).toMatchObject({ armed: true });
});
