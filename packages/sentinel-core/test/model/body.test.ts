/**
 * What a body says, that writing one loses nothing, and that older readers of it never understand
 * less than its holds say.
 * Which bytes count as held is `held-bytes.test.ts`; who passes is `../decide/`.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdOf, readBody, textOf, writeBody } from '../../src/model/body.ts';
import { hasExpired } from '../../src/model/deadline.ts';
import type { Hold } from '../../src/model/hold.ts';
import { type JsonObject, NumberText, readJson, writeJson } from '../../src/model/json.ts';
import { parseStamp } from '../../src/model/stamp.ts';
import { anyBody, anyExtra, anyHolds, NOW, objectOf, wallAt } from './arbitrary-bodies.ts';

const read = (text: string) => readBody(text, '7') ?? expect.fail(`cannot be read: ${text}`);
const top = (text: string): Hold => read(text).top;
const nothing = objectOf([]);

describe('reading', () => {
  it('a body without `holds` is one anonymous hold, named by its generation', () => {
    const { holds, top: hold } = read('{"generation":"g","reason":"r"}');
    expect(holds).toBeNull();
    expect(hold).toMatchObject({ id: 'g', holder: null, reason: 'r', allow: null });
    expect(hold).toMatchObject({ expiresAtMs: null });
  });

  it('a hold that nothing names is named by its inode', () => {
    expect(top('{}').id).toBe('anon-7');
    expect(readBody('{}', '8')?.top.id).toBe('anon-8');
  });

  it.each(['[]', '{}', '5', 'null', '"x"'])('`holds: %s` is a body without `holds`', (holds) => {
    expect(read(`{"holds":${holds}}`).holds).toBeNull();
  });

  it.each([
    '1',
    'null',
    '"x"',
    '[]',
    '{}',
    '{"id":5}',
    '{"holder":"cron","expires_at":"2001-01-01"}',
  ])('the entry %s cannot be read: it admits nobody and never expires', (entry) => {
    const [hold] = read(`{"holds":[${entry}]}`).holds ?? [];
    expect(hold).toMatchObject({ unreadable: 'entry', holder: null, allow: null });
    expect(hold).toMatchObject({ expiresAtMs: null });
  });

  it('two entries that cannot be read are two holds', () => {
    const ids = read('{"holds":[1,1]}').holds?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it.each(['', ' ', 'paused', '[]', 'null', '42', '"{}"', '{', '{"a":1}{}', '\ufeff\ufeff{}'])(
    'the text %j is no body',
    (text) => {
      expect(readBody(text, '7')).toBeNull();
    },
  );

  it('one byte order mark is tolerated', () => {
    expect(top('\ufeff{"reason":"r"}').reason).toBe('r');
  });

  it.each(['"soon"', '978307200', '["2001-01-01"]', '{}', 'true', '" "'])(
    'the deadline %s never comes',
    (deadline) => {
      expect(hasExpired(top(`{"expires_at":${deadline}}`), wallAt(Number.MAX_SAFE_INTEGER))).toBe(
        false,
      );
    },
  );

  it('a deadline has passed at its very millisecond, and not before', () => {
    const hold = top('{"expires_at":"2026-01-01T00:00:00Z"}');
    expect(hasExpired(hold, wallAt(NOW))).toBe(true);
    expect(hasExpired(hold, wallAt(NOW - 1))).toBe(false);
  });

  it.each(['null', 'false', '0', '-0', '0.0', '""', '[]', '{}'])(
    'the reason %s says nothing, as it does to the other reader',
    (reason) => {
      expect(top(`{"reason":${reason}}`).reason).toBeNull();
    },
  );

  it.each([
    ['5', '5'],
    ['true', 'true'],
    ['["a"]', '["a"]'],
    ['{"a": 12345678901234567890}', '{"a":12345678901234567890}'],
    ['"   "', '   '],
  ])('the reason %s is shown as %j', (reason, shown) => {
    expect(top(`{"reason":${reason}}`).reason).toBe(shown);
  });

  it('an actor is a record for people, however little of it is there', () => {
    const hold = holdOf({ id: 'a', actor: objectOf([['user', 'u1']]) });
    expect(hold.actor).toEqual({ user: 'u1', host: '?', pid: 0, via: '?' });
    expect(holdOf({ id: 'a', actor: 'u1' }).actor).toBeNull();
  });

  it('holds are the same only if their unknown fields are too', () => {
    const [a, b] = [holdOf({ id: 'a', x: '1' }), holdOf({ id: 'a', x: new NumberText('1') })];
    expect(textOf(a)).toBe(textOf(holdOf({ id: 'a', x: '1' })));
    expect(textOf(a)).not.toBe(textOf(b));
  });
});

describe('writing', () => {
  it('and reading again loses nothing of the holds, nor of fields that are not known', () => {
    fc.assert(
      fc.property(anyHolds, anyExtra, (holds, extra) => {
        const body = read(writeBody('g', holds, extra));
        // Not `toStrictEqual`, which takes a member called `constructor` for the type.
        assert.deepEqual(body.holds, holds);
        assert.deepEqual(body.extra, extra);
        assert.equal(body.generation, 'g');
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a number as it was written', () => {
    const entry = '{"id":"a","n":12345678901234567890.10,"m":[1E400,-0]}';
    const { holds } = read(`{"holds":[${entry}]}`);
    expect(writeBody('g', holds ?? [], nothing)).toContain(entry);
  });

  it('what anybody wrote leaves holds that admit and expire as before', () => {
    fc.assert(
      fc.property(anyBody, (foreign) => {
        const before = read(writeJson(foreign));
        const holds = before.holds ?? [before.top];
        const after = read(writeBody('g', holds, before.extra));
        const meaning = ({ id, holder, reason, expiresAtMs, allow }: Hold) => [
          { id, holder, reason, expiresAtMs, allow },
        ];
        expect(after.holds?.map(meaning)).toStrictEqual(holds.map(meaning));
        assert.deepEqual(after.extra, before.extra);
      }),
      { numRuns: 300 },
    );
  });

  it('a body that can be read can be written and read again, however deep it is', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (let depth = 100; depth < 130; depth++) {
      for (const text of [`{"reason":${deep(depth)}}`, `{"holds":[${deep(depth)}]}`]) {
        const body = readBody(text, '7');
        if (body === null) continue;
        const written = writeBody('g', body.holds ?? [body.top], body.extra);
        expect(readBody(written, '7'), `nested ${depth} deep`).not.toBeNull();
      }
    }
  });
});

/** What a reader from before `holds` finds at the top level, read with nothing of ours. */
function olderView(text: string) {
  const body = readJson(text) as JsonObject;
  delete body['holds'];
  const { expires_at, allow } = JSON.parse(writeJson(body)) as {
    expires_at?: string;
    allow?: { user_ids?: string[]; profiles?: string[] };
  };
  return {
    deadline: expires_at === undefined ? null : parseStamp(expires_at),
    /** An empty list of profiles does not narrow there. */
    admits: (user: string, profile: string): boolean => {
      const { user_ids = [], profiles = [] } = allow ?? {};
      return user_ids.includes(user) && (profiles.length === 0 || profiles.includes(profile));
    },
  };
}

describe('the composed top level, as an older reader reads it', () => {
  it('never expires before a hold does, not by a microsecond', () => {
    fc.assert(
      fc.property(anyHolds, anyExtra, (holds, extra) => {
        const { deadline } = olderView(writeBody('g', holds, extra));
        if (deadline === null) return;
        for (const hold of holds) {
          const own = typeof hold.raw['expires_at'] === 'string' ? hold.raw['expires_at'] : '';
          expect(parseStamp(own)).not.toBeNull();
          expect(deadline >= (parseStamp(own) ?? 0n)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes the later of two deadlines within one millisecond, whichever comes first', () => {
    const [early, late] = ['a', 'b'].map((id, at) =>
      holdOf({ id, expires_at: `2990-01-01T00:00:00.000${at === 0 ? 1 : 9}00Z` }),
    ) as [Hold, Hold];
    for (const holds of [
      [early, late],
      [late, early],
    ]) {
      expect(top(writeBody('g', holds, nothing)).expiresAt).toBe(late.expiresAt);
    }
  });

  it('has a deadline where every hold has one, so that it does not hold for ever', () => {
    fc.assert(
      fc.property(anyHolds, (holds) => {
        const { deadline } = olderView(writeBody('g', holds, nothing));
        expect(deadline === null).toBe(holds.some(({ expiresAtMs }) => expiresAtMs === null));
      }),
      { numRuns: 300 },
    );
  });

  it('admits nobody whom one of the holds does not admit', () => {
    fc.assert(
      fc.property(anyHolds, anyExtra, (holds, extra) => {
        const older = olderView(writeBody('g', holds, extra));
        for (const user of ['u1', 'u2', 'u3', 'p1', '']) {
          for (const profile of ['p1', 'p2', 'p3', '']) {
            if (!older.admits(user, profile)) continue;
            for (const { allow } of holds) {
              expect(allow?.userIds).toContain(user);
              if (allow?.profiles !== undefined) expect(allow.profiles).toContain(profile);
            }
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives every reason once, and the earliest beginning', () => {
    const holds = [
      { id: 'a', reason: 'deploy', engaged_at: '2026-01-02T00:00:00Z' },
      { id: 'b', reason: 'runaway', engaged_at: '2026-01-02T00:30:00+01:00' },
      { id: 'c', reason: 'deploy', engaged_at: 'whenever' },
      { id: 'd' },
    ].map(holdOf);
    expect(top(writeBody('g', holds, nothing))).toMatchObject({
      reason: 'deploy; runaway',
      engagedAt: '2026-01-02T00:30:00+01:00',
    });
    expect(top(writeBody('g', holds, nothing, { composedReason: false })).reason).toBeNull();
  });
});
