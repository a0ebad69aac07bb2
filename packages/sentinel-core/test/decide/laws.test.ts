/**
 * What is true of every chain of scopes, whatever stands in them: deny wins, in any order [10].
 * Single cases are `admit.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeBody } from '../../src/model/body.ts';
import type { Hold } from '../../src/model/hold.ts';
import { type JsonObject, type JsonValue, writeJson } from '../../src/model/json.ts';
import {
  anyBody,
  anyEntry,
  anyHold,
  anyHolds,
  anyJson,
  objectOf,
} from '../model/arbitrary-bodies.ts';
import { APPLICANTS, admitted, anyChain, anyText, checkOf, statesOf } from './chains.ts';

const RUNS = { numRuns: 500 };

/** Fails where somebody is admitted in `fewer` who is not admitted in `more`. */
function expectNobodyMore(fewer: readonly boolean[], more: readonly boolean[]): void {
  const gained = APPLICANTS.filter((_, at) => fewer[at] && !more[at]);
  expect(gained, 'admitted in spite of more holds').toEqual([]);
}

const composed = (holds: readonly Hold[]): string => writeBody('g', holds, objectOf([]));

/** Anybody's body with these entries; its top level stays whatever it says. */
const withEntries = (body: JsonObject, entries: readonly JsonValue[]): string =>
  writeJson(objectOf(Object.entries({ ...body, holds: [...entries] })));

const anyEntries = fc.array(
  fc.oneof({ arbitrary: anyEntry, weight: 6 }, { arbitrary: anyJson, weight: 1 }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

describe('order', () => {
  it('of scopes never matters', () => {
    fc.assert(
      fc.property(anyChain, fc.gen(), (texts, gen) => {
        const shuffled = gen(() => fc.shuffledSubarray(texts, { minLength: texts.length }));
        expect(admitted(statesOf(shuffled))).toEqual(admitted(statesOf(texts)));
      }),
      RUNS,
    );
  });

  it('of the holds in a body of ours never matters', () => {
    fc.assert(
      fc.property(anyHolds, fc.gen(), (holds, gen) => {
        const shuffled = gen(() => fc.shuffledSubarray(holds, { minLength: holds.length }));
        expect(admitted(statesOf([composed(shuffled)]))).toEqual(
          admitted(statesOf([composed(holds)])),
        );
      }),
      RUNS,
    );
  });

  it("of the entries in anybody's body never matters", () => {
    fc.assert(
      fc.property(anyBody, anyEntries, fc.gen(), (body, entries, gen) => {
        const shuffled = gen(() => fc.shuffledSubarray(entries, { minLength: entries.length }));
        expect(admitted(statesOf([withEntries(body, shuffled)]))).toEqual(
          admitted(statesOf([withEntries(body, entries)])),
        );
      }),
      RUNS,
    );
  });
});

describe('removing a hold', () => {
  it('never makes anybody less admitted: the whole sentinel of a scope', () => {
    fc.assert(
      fc.property(anyChain, fc.nat({ max: 2 }), (texts, at) => {
        const fewer = texts.map((text, index) => (index === at ? null : text));
        expectNobodyMore(admitted(statesOf(texts)), admitted(statesOf(fewer)));
      }),
      RUNS,
    );
  });

  it('never makes anybody less admitted: one of several in a body of ours', () => {
    fc.assert(
      fc.property(anyHolds, fc.nat(), anyText, (holds, nth, root) => {
        const fewer = holds.filter((_, index) => index !== nth % holds.length);
        const rest = fewer.length === 0 ? null : composed(fewer);
        expectNobodyMore(
          admitted(statesOf([composed(holds), root])),
          admitted(statesOf([rest, root])),
        );
      }),
      RUNS,
    );
  });

  it("never makes anybody less admitted: one entry of anybody's body", () => {
    fc.assert(
      fc.property(anyBody, anyEntries, fc.nat(), (body, entries, nth) => {
        const fewer = entries.filter((_, index) => index !== nth % entries.length);
        expectNobodyMore(
          admitted(statesOf([withEntries(body, entries)])),
          admitted(statesOf([withEntries(body, fewer)])),
        );
      }),
      RUNS,
    );
  });
});

describe('adding a hold', () => {
  it('never makes anybody more admitted: in another scope', () => {
    fc.assert(
      fc.property(anyChain, anyText, (texts, more) => {
        expectNobodyMore(admitted(statesOf([...texts, more])), admitted(statesOf(texts)));
      }),
      RUNS,
    );
  });

  it('never makes anybody more admitted: beside others in a body of ours', () => {
    fc.assert(
      fc.property(anyHolds, anyHold, (holds, more) => {
        expectNobodyMore(
          admitted(statesOf([composed([...holds, more])])),
          admitted(statesOf([composed(holds)])),
        );
      }),
      RUNS,
    );
  });
});

describe('a hold that stands', () => {
  it('admits only a principal that it names', () => {
    fc.assert(
      fc.property(anyChain, (texts) => {
        const states = statesOf(texts);
        const held = states.flatMap(({ check }) => (check.engaged ? check.holds : []));
        admitted(states).forEach((isAdmitted, at) => {
          const { principal, profile } = APPLICANTS[at] ?? expect.fail();
          if (!isAdmitted || held.length === 0) return;
          for (const { allow, unreadable } of held) {
            expect(unreadable).toBeUndefined();
            expect(allow?.userIds).toContain(principal);
            if (allow?.profiles !== undefined) expect(allow.profiles).toContain(profile);
          }
        });
      }),
      RUNS,
    );
  });

  it('admits nobody more when it is narrowed to profiles: a profile never grants', () => {
    fc.assert(
      fc.property(anyBody, anyJson, fc.subarray(['p1', 'p2', 'u1']), (body, junk, names) => {
        for (const profiles of [names, junk, []]) {
          const narrowed = withTopAllow(body, { profiles });
          expectNobodyMore(
            admitted(statesOf([narrowed])),
            admitted(statesOf([withTopAllow(body, {})])),
          );
        }
      }),
      RUNS,
    );
  });

  it('that cannot be read denies everybody, whatever else stands', () => {
    fc.assert(
      fc.property(
        anyChain,
        fc.constantFrom('', '{', '[]', '\ufeff\ufeff{}'),
        (texts, unreadable) => {
          expect(admitted(statesOf([...texts, unreadable]))).toEqual(APPLICANTS.map(() => false));
        },
      ),
    );
  });
});

/** The body without `holds`, its allowlist with these members added. */
function withTopAllow(body: JsonObject, members: { readonly profiles?: JsonValue }): string {
  const allow = objectOf(Object.entries({ user_ids: ['u1', 'u2'], ...members }));
  return writeJson(objectOf(Object.entries({ ...body, holds: null, allow })));
}

it('these laws are about something: a good part of the chains admits some and denies others', () => {
  const chains = fc.sample(anyChain, 1_000).map((texts) => admitted(statesOf(texts)));
  const mixed = chains.filter((answers) => answers.includes(true) && answers.includes(false));
  expect(mixed.length).toBeGreaterThan(50);
  const several = fc.sample(anyHolds, 1_000).map((holds) => checkOf(composed(holds)));
  expect(several.filter((check) => check.engaged && check.holds.length > 1).length).toBeGreaterThan(
    100,
  );
});
