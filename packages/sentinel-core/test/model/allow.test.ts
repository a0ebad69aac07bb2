/**
 * Who an allowlist names, and whom several of them allow together.
 * What that means for a hold is `../decide/`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersectAllow, readAllow, writeAllow } from '../../src/model/allow.ts';
import type { Allow } from '../../src/model/hold.ts';
import { readJson } from '../../src/model/json.ts';
import { anyAllow } from './arbitrary-bodies.ts';

const read = (text: string): Allow | null => readAllow(readJson(text));
const usersOf = (ids: string): readonly string[] | undefined =>
  read(`{"user_ids":${ids}}`)?.userIds;
const profilesOf = (names: string): readonly string[] | undefined =>
  read(`{"user_ids":["u1"],"profiles":${names}}`)?.profiles;

describe('an allowlist', () => {
  it.each(['null', '[]', '["u1"]', '"u1"', 'true', '5', '12345678901234567890'])(
    'that is %s is none',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it('that is absent is none', () => {
    expect(readAllow(undefined)).toBeNull();
  });

  it.each(['{}', '{"user_id":["u1"]}', '{"userIds":["u1"]}', '{"profiles":["p1"]}'])(
    'that is %s names no user',
    (text) => {
      expect(read(text)?.userIds).toEqual([]);
    },
  );
});

describe('user ids', () => {
  it.each<[ids: string, names: readonly string[]]>([
    ['["u1","u2"]', ['u1', 'u2']],
    ['"u1"', ['u1']],
    ['"u1,u2"', ['u1,u2']],
    ['["U1"]', ['U1']],
    ['["*"]', ['*']],
    ['["u1","u1"," u1"]', ['u1']],
    ['" \\u00a0u1\\u001c\\n"', ['u1']],
    ['"\\ufeffu1"', ['\ufeffu1']],
    ['["",""," "]', []],
    ['[]', []],
    ['null', []],
  ])('%s name exactly %j', (ids, names) => {
    expect(usersOf(ids)).toEqual(names);
  });

  it.each<[ids: string, name: string]>([
    ['424242', '424242'],
    ['[-5]', '-5'],
    ['[0]', '0'],
    ['[-0]', '0'],
    ['[9007199254740993]', '9007199254740993'],
    ['[123456789012345678901234567890]', '123456789012345678901234567890'],
    ['[1.0]', '1.0'],
    ['[1.50]', '1.5'],
    ['[1e3]', '1000.0'],
    ['[-2.5E1]', '-25.0'],
    ['[0.0001]', '0.0001'],
    ['[9007199254740993.0]', '9007199254740992.0'],
  ])('that are the number %s name %s, as the other reader of the file spells it', (ids, name) => {
    expect(usersOf(ids)).toEqual([name]);
  });

  it.each(['[0.0]', '[0.00001]', '[1e16]', '[1e400]', '[-1e400]', '[NaN]', '[Infinity]'])(
    'that are the number %s name nobody: readers spell it differently',
    (ids) => {
      expect(usersOf(ids)).toEqual([]);
    },
  );

  it.each(['true', '[true]', '[false]', '[null]', '[["u1"]]', '[{"id":"u1"}]', '{"u1":false}'])(
    '%s are neither text nor number, and name nobody',
    (ids) => {
      expect(usersOf(ids)).toEqual([]);
    },
  );

  it('beyond 2^53 never match a neighbour', () => {
    expect(usersOf('[9007199254740993]')).not.toContain('9007199254740992');
    expect(usersOf('[9007199254740992]')).not.toContain('9007199254740993');
  });
});

describe('profiles', () => {
  it.each([undefined, 'null'])('that are %s do not narrow', (names) => {
    const allow = names === undefined ? read('{"user_ids":["u1"]}') : null;
    expect(names === undefined ? allow?.profiles : profilesOf(names)).toBeUndefined();
  });

  it.each(['[]', '[""]', '[" "]', 'false', '{"p1":1}', '[null]'])(
    'that are %s name none, and so leave nobody',
    (names) => {
      expect(profilesOf(names)).toEqual([]);
    },
  );

  it.each<[names: string, read: readonly string[]]>([
    ['"p1"', ['p1']],
    ['["p1","p2"]', ['p1', 'p2']],
    ['[" p1 "]', ['p1']],
    ['["P1"]', ['P1']],
    ['5', ['5']],
  ])('%s are read as %j', (names, expected) => {
    expect(profilesOf(names)).toEqual(expected);
  });
});

describe('writing an allowlist', () => {
  it('and reading it again loses nothing', () => {
    fc.assert(
      fc.property(anyAllow, (value) => {
        const allow = readAllow(value);
        if (allow !== null) expect(readAllow(writeAllow(allow))).toEqual(allow);
      }),
    );
  });
});

const admits = (allow: Allow | null, user: string, profile: string): boolean =>
  allow?.userIds.includes(user) === true && (allow.profiles?.includes(profile) ?? true);

describe('several allowlists together', () => {
  const anyAllows = fc.array(anyAllow.map(readAllow), { minLength: 1, maxLength: 4 });

  it('allow exactly those whom each of them allows', () => {
    fc.assert(
      fc.property(anyAllows, (allows) => {
        const together = intersectAllow(allows);
        for (const user of ['u1', 'u2', 'u3']) {
          for (const profile of ['p1', 'p2', 'p3']) {
            expect(admits(together, user, profile)).toBe(
              allows.every((allow) => admits(allow, user, profile)),
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are none where they leave nobody: an older reader takes an empty list for no limit', () => {
    fc.assert(
      fc.property(anyAllows, (allows) => {
        const together = intersectAllow(allows);
        if (together === null) return;
        expect(together.userIds).not.toEqual([]);
        expect(together.profiles).not.toEqual([]);
      }),
    );
  });

  it('of nobody at all are none', () => {
    expect(intersectAllow([])).toBeNull();
    expect(intersectAllow([{ userIds: ['u1'] }, null])).toBeNull();
  });
});
