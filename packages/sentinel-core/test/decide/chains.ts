/**
 * Chains of scopes with bodies in them, and whom they admit.
 * What must hold for the answers is left to the tests.
 */
import fc from 'fast-check';
import { type Applicant, admit, type ScopeState } from '../../src/decide/admit.ts';
import { classify } from '../../src/disk/inspect.ts';
import { writeBody } from '../../src/model/body.ts';
import { writeJson } from '../../src/model/json.ts';
import type { Scope, ScopeCheck } from '../../src/model/scope.ts';
import { anyBody, anyExtra, anyHolds, WALL } from '../model/arbitrary-bodies.ts';

const SCOPES: readonly Scope[] = [
  { kind: 'profile', dir: '/fleet/profiles/p1', profile: 'p1' },
  { kind: 'root', dir: '/fleet' },
  { kind: 'cluster', dir: '/fleet/cluster' },
];

/** Everybody who could be told apart: a principal named like a profile, and nobody known. */
export const APPLICANTS: readonly Applicant[] = ['u1', 'u2', 'u3', 'p1', '', null].flatMap(
  (principal) => ['p1', 'p2', 'p3', '', null].map((profile) => ({ principal, profile })),
);

/** What a check says of a sentinel with this text; null: there is none. */
export function checkOf(text: string | null): ScopeCheck {
  if (text === null) return { engaged: false, expired: false };
  const { state, holds, topAllow, generation } = classify(Buffer.from(text), '7', WALL);
  return state === 'active'
    ? { engaged: true, holds, topAllow, generation }
    : { engaged: false, expired: true };
}

/** One text for each scope, nearest first. */
export const statesOf = (texts: readonly (string | null)[]): ScopeState[] =>
  texts.map((text, at) => ({
    scope: SCOPES[at] ?? { kind: 'root', dir: `/scope-${at}` },
    check: checkOf(text),
  }));

/** For each of the applicants. */
export const admitted = (states: readonly ScopeState[]): boolean[] =>
  APPLICANTS.map((applicant) => admit(states, applicant).admitted);

/** No sentinel, one of ours, one of anybody's, or one that cannot be read. */
export const anyText: fc.Arbitrary<string | null> = fc.oneof(
  fc.constant(null),
  fc.tuple(anyHolds, anyExtra).map(([holds, extra]) => writeBody('g', holds, extra)),
  anyBody.map(writeJson),
  fc.constantFrom('', '{', '{"allow":{"user_ids":["u1","u2"]}}'),
);

export const anyChain = fc.array(anyText, { minLength: 1, maxLength: 3 });
