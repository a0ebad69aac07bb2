/**
 * Who may start new work while something holds.
 * Laws that hold for every chain are `laws.test.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { admit, type Because } from '../../src/decide/admit.ts';
import { check } from '../../src/disk/check.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { statesOf } from './chains.ts';

const U1 = '{"allow":{"user_ids":["u1"]}}';
const U1_ON_P1 = '{"allow":{"user_ids":["u1"],"profiles":["p1"]}}';
const PASSED = '2001-01-01T00:00:00Z';
const TO_COME = '2990-01-01T00:00:00Z';

function admits(texts: readonly (string | null)[], principal: string | null, profile = 'p1') {
  return admit(statesOf(texts), { principal, profile }).admitted;
}

describe('nothing that holds', () => {
  it.each<[what: string, texts: readonly (string | null)[]]>([
    ['no scope has a sentinel', [null, null, null]],
    ['there is no scope at all', []],
    ['every sentinel has expired', [`{"expires_at":"${PASSED}"}`, `{"expires_at":"${PASSED}"}`]],
  ])('admits everybody: %s', (_what, texts) => {
    expect(admits(texts, 'u1')).toBe(true);
    expect(admits(texts, null)).toBe(true);
  });
});

describe('one hold', () => {
  it.each<[why: string, text: string, principal: string | null, because: Because]>([
    ['has no allowlist', '{}', 'u1', 'no-allowlist'],
    ['has an allowlist that names no user', '{"allow":{"profiles":["p1"]}}', 'u1', 'no-allowlist'],
    ['is a touch', '', 'u1', 'unreadable'],
    ['is no JSON', '{"allow":{"user_ids":["u1"]}', 'u1', 'unreadable'],
    [
      'is an entry that cannot be read',
      '{"allow":{"user_ids":["u1"]},"holds":[5]}',
      'u1',
      'unreadable',
    ],
    ['names somebody, and nobody is known', U1, null, 'no-principal'],
    ['names somebody, and the name is empty', U1, '', 'no-principal'],
    ['names somebody else', U1, 'u2', 'user-not-listed'],
    ['names somebody whose name differs in case', U1, 'U1', 'user-not-listed'],
    ['names somebody whose name has a space', U1, ' u1', 'user-not-listed'],
    [
      'has a star, which is a name like any other',
      '{"allow":{"user_ids":["*"]}}',
      'u1',
      'user-not-listed',
    ],
    [
      'is narrowed to another profile',
      '{"allow":{"user_ids":["u1"],"profiles":["p2"]}}',
      'u1',
      'profile-not-listed',
    ],
    [
      'is narrowed to no profile',
      '{"allow":{"user_ids":["u1"],"profiles":[]}}',
      'u1',
      'profile-not-listed',
    ],
    [
      'has a top level that admits nobody',
      '{"holds":[{"id":"a","allow":{"user_ids":["u1"]}}]}',
      'u1',
      'top-level-disagrees',
    ],
    [
      'has a top level that admits somebody else',
      '{"allow":{"user_ids":["u2"]},"holds":[{"id":"a","allow":{"user_ids":["u1"]}}]}',
      'u1',
      'top-level-disagrees',
    ],
    [
      'has a top level that is narrowed to another profile',
      '{"allow":{"user_ids":["u1"],"profiles":["p2"]},"holds":[{"id":"a","allow":{"user_ids":["u1"]}}]}',
      'u1',
      'top-level-disagrees',
    ],
    [
      'admits fewer than its top level',
      '{"allow":{"user_ids":["u1","u2"]},"holds":[{"id":"a","allow":{"user_ids":["u2"]}}]}',
      'u1',
      'user-not-listed',
    ],
  ])('denies when it %s', (_why, text, principal, because) => {
    expect(admit(statesOf([text]), { principal, profile: 'p1' })).toMatchObject({
      admitted: false,
      denials: [{ verdict: 'denies', because }],
    });
  });

  it('denies a principal on a profile that is not known, when it is narrowed', () => {
    expect(admit(statesOf([U1_ON_P1]), { principal: 'u1', profile: null })).toMatchObject({
      denials: [{ because: 'profile-not-listed' }],
    });
  });

  it.each<[what: string, text: string]>([
    ['names the principal', U1],
    ['names the principal and the profile', U1_ON_P1],
    [
      'agrees with its top level',
      '{"allow":{"user_ids":["u1"]},"holds":[{"id":"a","allow":{"user_ids":["u1"]}}]}',
    ],
    ['is to expire', `{"expires_at":"${TO_COME}","allow":{"user_ids":["u1"]}}`],
  ])('admits when it %s', (_what, text) => {
    expect(admit(statesOf([text]), { principal: 'u1', profile: 'p1' })).toEqual({ admitted: true });
  });

  it('admits on any profile, known or not, where it is not narrowed', () => {
    expect(admits([U1], 'u1', 'p2')).toBe(true);
    expect(admit(statesOf([U1]), { principal: 'u1', profile: null }).admitted).toBe(true);
  });
});

describe('a profile', () => {
  it('name admits nobody', () => {
    expect(admits(['{"allow":{"user_ids":["u1"],"profiles":["p1"]}}'], 'p1')).toBe(false);
    expect(admits(['{"allow":{"profiles":["p1"]}}'], 'p1')).toBe(false);
  });

  it('that is the right one stays paused for the wrong user', () => {
    expect(admits([U1_ON_P1], 'u2', 'p1')).toBe(false);
  });
});

describe('two scopes', () => {
  it('a root hold denies every profile', () => {
    expect(admits([null, '{}'], 'u1')).toBe(false);
  });

  it.each<[what: string, strict: string]>([
    ['strict', '{}'],
    ['corrupt', '{not json'],
    ['empty', ''],
    ["somebody else's", '{"allow":{"user_ids":["u2"]}}'],
    ['narrowed to another profile', '{"allow":{"user_ids":["u1"],"profiles":["p2"]}}'],
  ])('deny when one is permissive and the other %s, both ways round', (_what, strict) => {
    expect(admits([U1, strict], 'u1')).toBe(false);
    expect(admits([strict, U1], 'u1')).toBe(false);
  });

  it('admit whom each of them admits', () => {
    expect(admits([U1, '{"allow":{"user_ids":["u2","u1"]}}'], 'u1')).toBe(true);
    expect(admits([U1, '{"allow":{"user_ids":["u2","u1"]}}'], 'u2')).toBe(false);
    expect(admits([U1, U1_ON_P1], 'u1', 'p1')).toBe(true);
    expect(admits([U1, U1_ON_P1], 'u1', 'p2')).toBe(false);
  });

  it('admit by the one that stands, where the other has expired, both ways round', () => {
    const expired = `{"expires_at":"${PASSED}","allow":{"user_ids":["u2"]}}`;
    expect(admits([U1, expired], 'u1')).toBe(true);
    expect(admits([expired, U1], 'u1')).toBe(true);
    expect(admits([expired, U1], 'u2')).toBe(false);
    expect(admits([expired, '{}'], 'u2')).toBe(false);
  });

  it('the refusal names every hold that denies, and no other', () => {
    const decision = admit(statesOf([U1, '{"generation":"g"}', '']), {
      principal: 'u1',
      profile: 'p1',
    });
    expect(decision).toMatchObject({
      admitted: false,
      denials: [
        { scope: { kind: 'root' }, hold: { id: 'g' } },
        { scope: { kind: 'cluster' }, hold: { unreadable: 'empty' } },
      ],
    });
  });
});

describe('several holds in one scope', () => {
  const body = (top: string, ...entries: string[]) =>
    `{${top},"holds":[${entries.map((entry, at) => `{"id":"h${at}",${entry}}`).join()}]}`;
  const u1 = '"allow":{"user_ids":["u1"]}';
  const u2 = '"allow":{"user_ids":["u2"]}';

  it('admit whom each of them admits', () => {
    expect(admits([body(u1, u1, '"allow":{"user_ids":["u2","u1"]}')], 'u1')).toBe(true);
    expect(admits([body(u1, u1, u2)], 'u1')).toBe(false);
  });

  it('that have expired deny nobody', () => {
    expect(admits([body(u1, `"expires_at":"${PASSED}"`, u1)], 'u1')).toBe(true);
  });

  it('that cannot be read deny everybody', () => {
    expect(admits([`{${u1},"holds":[{"id":"a",${u1}},{}]}`], 'u1')).toBe(false);
  });
});

describe('a sentinel that has expired', () => {
  it('and cannot be removed admits nobody, as a gateway that must remove it to be free', () => {
    const dir = mkdtempSync(join(tmpdir(), 'fleet-overdue-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, 'ESTOP'), `{"expires_at":"${PASSED}","allow":{"user_ids":["u1"]}}`);
    const scope = { kind: 'root' as const, dir };
    const states = [{ scope, check: check({ ...nodeDisk(), mayRemove: () => false }, dir) }];
    expect(states[0]?.check).toMatchObject({ engaged: true, overdue: true });
    expect(admit(states, { principal: 'u1', profile: 'p1' }).admitted).toBe(false);
  });
});
