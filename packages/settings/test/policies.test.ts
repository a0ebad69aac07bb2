/** Policies applied to one pause. Whether a violation refuses it is decided by the caller. */
import { describe, expect, it } from 'vitest';
import { checkPolicies, type PauseRequest } from '../src/index.ts';
import { settingsFolder, settingsOf } from './settings-folder.ts';

const { readFleet } = settingsFolder();
const request = (over: Partial<PauseRequest> = {}): PauseRequest => ({
  holder: 'operator',
  reason: null,
  ttlMs: null,
  ...over,
});

async function violated(policies: string, over: Partial<PauseRequest> = {}): Promise<string[]> {
  const settings = settingsOf(await readFleet(`version: 1\npolicies: ${policies}\n`));
  return checkPolicies(settings, request(over)).map(({ policy }) => policy);
}

describe('a pause violates nothing', () => {
  it('where there are no policies', () => {
    expect(checkPolicies({ version: 1 }, request())).toEqual([]);
  });

  it('where policies are turned off', async () => {
    expect(await violated('{ require_reason: false, require_ttl_for: [] }')).toEqual([]);
  });
});

describe('require_reason', () => {
  it('is violated by no reason and by a blank one, and by nothing else', async () => {
    const policies = '{ require_reason: true }';
    expect(await violated(policies)).toEqual(['require_reason']);
    expect(await violated(policies, { reason: ' \n\u00a0' })).toEqual(['require_reason']);
    expect(await violated(policies, { reason: 'x' })).toEqual([]);
  });
});

describe('require_ttl_for', () => {
  const policies = '{ require_ttl_for: [ci-*, bot] }';

  it.each(['ci-', 'ci-deploy', 'bot'])('is violated by %s without a deadline', async (holder) => {
    expect(await violated(policies, { holder })).toEqual(['require_ttl_for']);
    expect(await violated(policies, { holder, ttlMs: 1 })).toEqual([]);
  });

  it.each(['operator', 'ci', 'CI-deploy', 'bots', 'a-ci-'])('is not about %s', async (holder) => {
    expect(await violated(policies, { holder })).toEqual([]);
  });
});

describe('max_ttl', () => {
  it('is violated by a later deadline, and not by one that is just as late', async () => {
    expect(await violated('{ max_ttl: 1h }', { ttlMs: 3_600_001 })).toEqual(['max_ttl']);
    expect(await violated('{ max_ttl: 1h }', { ttlMs: 3_600_000 })).toEqual([]);
  });

  it('does not ask for a deadline', async () => {
    expect(await violated('{ max_ttl: 1h }')).toEqual([]);
  });
});

it('every violation is reported, with a hint', async () => {
  const text =
    'version: 1\npolicies: { require_reason: true, require_ttl_for: ["*"], max_ttl: 2 h }\n';
  const settings = settingsOf(await readFleet(text));
  const [reason, deadline, ...none] = checkPolicies(settings, request({ holder: 'a\u202eb' }));
  expect(none).toEqual([]);
  expect(reason).toMatchObject({
    policy: 'require_reason',
    hint: expect.stringContaining('--reason'),
  });
  expect(deadline).toMatchObject({
    policy: 'require_ttl_for',
    message: expect.stringContaining('`a\\u{202e}b`'),
    hint: expect.stringContaining('--ttl'),
  });
  const [longest] = checkPolicies(settings, request({ reason: 'x', ttlMs: 1e9 }));
  expect(longest).toMatchObject({ policy: 'max_ttl', message: expect.stringContaining('`2 h`') });
});
