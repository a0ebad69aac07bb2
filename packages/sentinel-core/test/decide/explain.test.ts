/**
 * Every hold is explained, whether it denies or not.
 * Which reasons there are is `admit.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, explain } from '../../src/decide/admit.ts';
import { APPLICANTS, anyChain, statesOf } from './chains.ts';

describe('an explanation', () => {
  it('has one ruling for each hold, nearest scope first, in the order of the body', () => {
    const states = statesOf([
      '{"allow":{"user_ids":["u1"]},"holds":[{"id":"a","allow":{"user_ids":["u1"]}},{"id":"b"}]}',
      '{"expires_at":"2001-01-01"}',
      '',
    ]);
    expect(explain(states, { principal: 'u1', profile: 'p1' })).toMatchObject([
      { scope: { kind: 'profile' }, hold: { id: 'a' }, verdict: 'admits', because: 'listed' },
      { scope: { kind: 'profile' }, hold: { id: 'b' }, verdict: 'denies', because: 'no-allowlist' },
      { scope: { kind: 'cluster' }, hold: { id: 'anon-7' }, because: 'unreadable' },
    ]);
  });

  it('is empty where nothing holds', () => {
    expect(explain(statesOf([null, null]), { principal: null, profile: null })).toEqual([]);
  });

  it('denies exactly where admission does', () => {
    fc.assert(
      fc.property(anyChain, fc.constantFrom(...APPLICANTS), (texts, applicant) => {
        const states = statesOf(texts);
        const denials = explain(states, applicant).filter(({ verdict }) => verdict === 'denies');
        const decision = admit(states, applicant);
        expect(decision.admitted).toBe(denials.length === 0);
        if (!decision.admitted) expect(decision.denials).toEqual(denials);
      }),
      { numRuns: 300 },
    );
  });

  it('calls nothing listed that it denies, and nothing else that it admits', () => {
    fc.assert(
      fc.property(anyChain, fc.constantFrom(...APPLICANTS), (texts, applicant) => {
        for (const { verdict, because } of explain(statesOf(texts), applicant)) {
          expect(because === 'listed').toBe(verdict === 'admits');
        }
      }),
      { numRuns: 300 },
    );
  });
});
