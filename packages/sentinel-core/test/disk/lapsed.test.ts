/**
 * An arm in the moment after its holder's own hold has ended: what an operator types at the last second
 * means that hold.
 */
import { expect, test } from 'vitest';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { formatInstant } from '../../src/model/stamp.ts';
import { scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();
const allow = { userIds: ['op'] };

const lapsedFor = (ms: number) => {
  const dir = scopeDir();
  const endsMs = disk.now() + 3_600_000;
  arm(disk, dir, { holder: 'me', reason: 'deploy', allow, expiresAt: formatInstant(endsMs) });
  return { dir, later: { ...disk, now: () => endsMs + ms, uptime: () => null } };
};

test('within a second after its deadline a re-arm keeps reason and allowlist, and has no deadline', () => {
  const { dir, later } = lapsedFor(900);
  const answer = arm(later, dir, { holder: 'me' });
  expect(answer).toMatchObject({
    armed: true,
    hold: { reason: 'deploy', allow, expiresAt: null },
    replaced: { reason: 'deploy' },
  });
  expect(check(later, dir)).toMatchObject({ engaged: true });
});

test('what it says itself goes before', () => {
  const { dir, later } = lapsedFor(900);
  const answer = arm(later, dir, { holder: 'me', reason: 'again', allow: null });
  expect(answer).toMatchObject({ armed: true, hold: { reason: 'again', allow: null } });
});

test('more than a second later nothing is kept', () => {
  const { dir, later } = lapsedFor(1_100);
  const answer = arm(later, dir, { holder: 'me' });
  expect(answer).toMatchObject({
    armed: true,
    hold: { reason: null, allow: null },
    replaced: null,
  });
});

test('another holder keeps nothing of it', () => {
  const { dir, later } = lapsedFor(500);
  const answer = arm(later, dir, { holder: 'other' });
  expect(answer).toMatchObject({
    armed: true,
    hold: { reason: null, allow: null },
    replaced: null,
  });
});
