/**
 * A body stays within its limits by giving up words, never a deadline, a holder or an allowlist.
 * What is done with a body that does not fit all the same is left to arming.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitBody, MAX_HOLDERS, MAX_REASON, shortenReason } from '../../src/disk/limits.ts';
import { holdOf, MAX_BODY_BYTES, readBody, writeBody } from '../../src/model/body.ts';
import type { Hold } from '../../src/model/hold.ts';
import { type JsonObject, type JsonValue, readJson, writeJson } from '../../src/model/json.ts';
import { anyAllow, anyStamp, objectOf } from './arbitrary-bodies.ts';

function tryToFit(holds: readonly Hold[], extra: JsonObject = objectOf([])) {
  return fitBody(holds, (kept, options) => writeBody('g', kept, extra, options));
}

function fitted(holds: readonly Hold[]) {
  const body = tryToFit(holds);
  if ('code' in body) return expect.fail(`does not fit: ${body.code}`);
  expect(Buffer.byteLength(body.text)).toBeLessThanOrEqual(MAX_BODY_BYTES);
  const read = readBody(body.text, '7');
  return { read: read ?? expect.fail('cannot be read'), kept: body.holds };
}

const withoutReason = ({ raw }: Hold): string =>
  writeJson(objectOf(Object.entries(raw).filter(([key]) => key !== 'reason')));

/** Many bytes a character, and characters that must not be cut in half. */
const longReason = fc
  .tuple(fc.constantFrom('', 'x'), fc.constantFrom('r', '\u{1f6d1}', '"', '\u2028'), fc.nat(9_000))
  .map(([first, text, times]) => first + text.repeat(times));

const anyHolds = fc
  .array(
    fc.record({
      holder: fc.string({ minLength: 1, maxLength: 20 }),
      reason: fc.oneof(longReason, fc.constantFrom('', 'deploy')),
      expires_at: anyStamp,
      allow: anyAllow,
    }),
    { minLength: 1, maxLength: 24 },
  )
  .map((entries) =>
    entries.map((entry, at) => holdOf({ id: `h${at}`, ...(entry as Record<string, JsonValue>) })),
  );

// A counterexample is large here, and to make it small could take minutes.
const RUNS = { numRuns: 100, interruptAfterTimeLimit: 8_000 };

describe('a body that is too long', () => {
  it('keeps everything of every hold but its reason', () => {
    fc.assert(
      fc.property(anyHolds, (holds) => {
        const { read } = fitted(holds);
        expect(read.holds?.map(withoutReason)).toEqual(holds.map(withoutReason));
      }),
      RUNS,
    );
  });

  it('has the top level of its holds as they were', () => {
    fc.assert(
      fc.property(anyHolds, (holds) => {
        const { top } = fitted(holds).read;
        const whole = readBody(writeBody('g', holds, objectOf([])), '7');
        expect(top).toMatchObject({ expiresAt: whole?.top.expiresAt, allow: whole?.top.allow });
      }),
      RUNS,
    );
  });

  it('keeps a beginning of each reason, marked, and no half of a character', () => {
    fc.assert(
      fc.property(anyHolds, (holds) => {
        const { kept } = fitted(holds);
        for (const [at, { reason }] of kept.entries()) {
          const whole = holds[at]?.reason ?? null;
          if (reason === null || whole === null || reason === whole) continue;
          const beginning = reason.replace(/ \[…\]$/, '');
          expect(beginning).not.toBe(reason);
          expect(whole.startsWith(beginning)).toBe(true);
          expect(reason).not.toMatch(/\p{Surrogate}/u);
        }
      }),
      RUNS,
    );
  });

  it('with eight holders and 9 KB of reason each keeps every deadline and every holder', () => {
    const holds = Array.from({ length: 8 }, (_, at) =>
      holdOf({
        id: `h${at}`,
        holder: `holder-${at}`,
        reason: String(at).repeat(9_000),
        expires_at: `2990-01-0${at + 1}T00:00:00Z`,
      }),
    );
    const { read } = fitted(holds);
    expect(read.holds?.map(({ holder, expiresAt }) => [holder, expiresAt])).toEqual(
      holds.map(({ holder, expiresAt }) => [holder, expiresAt]),
    );
    expect(read.top.expiresAt).toBe('2990-01-08T00:00:00Z');
    for (const { reason } of read.holds ?? []) expect(reason).toHaveLength(MAX_REASON);
  });

  it('loses the composed reason first: the holds still say theirs in full', () => {
    const holds = Array.from({ length: 40 }, (_, at) =>
      holdOf({ id: `h${at}`, reason: String(at).padStart(1_000, 'r') }),
    );
    expect(fitted(holds).read.top.reason).toBeNull();
    expect(fitted(holds).read.holds).toEqual(holds);
  });

  it('is refused where no words are left to give up', () => {
    const holds = [holdOf({ id: 'a', holder: 'h'.repeat(MAX_BODY_BYTES) })];
    expect(tryToFit(holds)).toEqual({ code: 'too-large' });
    expect(tryToFit([holdOf({ id: 'a' })], objectOf([['x', 'x'.repeat(MAX_BODY_BYTES)]]))).toEqual({
      code: 'too-large',
    });
  });
});

describe('a body that is short enough', () => {
  it('is written as it is, to the last byte of the limit', () => {
    const hold = (length: number) => holdOf({ id: 'a', holder: 'h'.repeat(length), reason: 'r' });
    const spare = MAX_BODY_BYTES - writeBody('g', [hold(1)], objectOf([])).length;
    const body = tryToFit([hold(1 + spare)]);
    expect(body).toHaveProperty('text', writeBody('g', [hold(1 + spare)], objectOf([])));
    expect(tryToFit([hold(2 + spare)])).toHaveProperty(
      'text',
      expect.not.stringContaining('"r; r"'),
    );
  });

  it(`has at most ${MAX_HOLDERS} holds`, () => {
    const holds = (count: number) =>
      Array.from({ length: count }, (_, at) => holdOf({ id: `h${at}` }));
    expect(tryToFit(holds(MAX_HOLDERS))).toHaveProperty('text');
    expect(tryToFit(holds(MAX_HOLDERS + 1))).toEqual({ code: 'too-many-holders' });
  });
});

describe('a reason that is cut', () => {
  it('is as long as allowed, its mark included', () => {
    expect(shortenReason('r'.repeat(MAX_REASON))).toBe('r'.repeat(MAX_REASON));
    const cut = shortenReason('r'.repeat(MAX_REASON + 1));
    expect(cut).toHaveLength(MAX_REASON);
    expect(cut.endsWith(' […]')).toBe(true);
  });

  it('is never cut in half of a character', () => {
    for (const shift of ['', 'x']) {
      const cut = shortenReason(shift + '\u{1f6d1}'.repeat(MAX_REASON));
      expect(cut).not.toMatch(/\p{Surrogate}/u);
      expect(MAX_REASON - cut.length).toBeLessThanOrEqual(1);
    }
  });

  it('that is no text is cut as the JSON that is shown for it', () => {
    const reason = readJson(`["${'r'.repeat(70_000)}"]`);
    const { read } = fitted([holdOf({ id: 'a', reason })]);
    expect(read.holds?.[0]?.reason?.startsWith('["rrr')).toBe(true);
  });
});
