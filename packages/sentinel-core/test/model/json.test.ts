/**
 * JSON is read as Python reads it and written back without loss.
 * Which values make a body is left to the tests of the body.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonError,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  NumberText,
  readJson,
  writeJson,
} from '../../src/model/json.ts';

function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}

function refusal(text: string): JsonError {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  return expect.fail(`was read: ${text.slice(0, 80)}`);
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('numbers', () => {
  it.each([
    '0',
    '-0',
    '1.0',
    '1.10',
    '1E400',
    '-1.5e-7',
    '9007199254740993',
    '123456789012345678901234567890',
    '9'.repeat(4300),
    `-${'9'.repeat(4300)}`,
    `${'9'.repeat(5000)}.0`,
  ])('keep their text: %.40s', (text) => {
    expect(readJson(text)).toStrictEqual(new NumberText(text));
    expect(writeJson(readJson(text))).toBe(text);
  });

  it.each(['NaN', 'Infinity', '-Infinity'])('include %s, which is written as null', (text) => {
    expect(readJson(` ${text} `)).toStrictEqual(new NumberText(text));
    expect(writeJson(readJson(`[${text}]`))).toBe('[null]');
  });

  it.each([
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1.e5',
    '1e',
    '0x10',
    '1_000',
    '-NaN',
    '+Infinity',
    '--1',
    '\uff11',
  ])('do not include %s', (text) => {
    expect(refusal(text)).toBeInstanceOf(JsonError);
  });

  it('of more than 4300 digits are refused where they are integers', () => {
    expect(refusal('9'.repeat(4301)).message).toContain('4300');
    expect(refusal(`[-${'9'.repeat(4301)}]`).offset).toBe(1);
  });

  it.each(['', ' 1', '1 ', '1,2', '}', '1\n', '01', '9'.repeat(4301)])(
    'cannot be made of a text that would not be read back: %.20j',
    (text) => {
      expect(() => new NumberText(text)).toThrow(RangeError);
    },
  );
});

describe('strings', () => {
  it.each<[text: string, value: string]>([
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"\\u00e9\\u00E9"', '\u00e9\u00e9'],
    ['"\\ud83d\\ude00"', '\u{1f600}'],
    ['"\\ud800"', '\ud800'],
    ['"\\udc00x"', '\udc00x'],
    ['"\u007f\u0085\u2028\ufeff"', '\u007f\u0085\u2028\ufeff'],
    ['"\\u0000"', '\0'],
  ])('%j', (text, value) => {
    expect(readJson(text)).toBe(value);
    expect(readJson(writeJson(value))).toBe(value);
  });

  it.each([
    '"',
    '"a',
    '"\\"',
    '"\\',
    '"\\u12"',
    '"\\u12g4"',
    '"\\u+123"',
    '"\\x41"',
    '"\\\'"',
    '"\\U0041"',
    "'a'",
    '"\n"',
    '"\t"',
    '"\0"',
    '"\u001f"',
  ])('do not include %j', (text) => {
    expect(refusal(text)).toBeInstanceOf(JsonError);
  });

  it('are written so that the text can be encoded', () => {
    expect(writeJson('\ud800 \u{1f600}')).toBe('"\\ud800 \u{1f600}"');
  });
});

describe('objects and arrays', () => {
  it('have only members that the text names', () => {
    const object = readJson('{"__proto__":{"held":false},"constructor":1}') as JsonObject;
    expect(Object.getPrototypeOf(object)).toBeNull();
    expect(Object.keys(object)).toEqual(['__proto__', 'constructor']);
    expect(object['held']).toBeUndefined();
    expect(object['toString']).toBeUndefined();
    expect(writeJson(object)).toBe('{"__proto__":{"held":false},"constructor":1}');
  });

  it('take the last of two equal keys, escaped or not', () => {
    expect(writeJson(readJson('{"a":1,"b":2,"\\u0061":3}'))).toBe('{"a":3,"b":2}');
    expect(writeJson(readJson('{"__proto__":1,"__proto__":2}'))).toBe('{"__proto__":2}');
  });

  it('are written in their order and without spaces', () => {
    const text = ' { "z" : [ 1 , 2 , { } , [ ] ] ,\r\n\t"a" : true , "m" : null } ';
    expect(writeJson(readJson(text))).toBe('{"z":[1,2,{},[]],"a":true,"m":null}');
  });

  it.each([
    '',
    ' ',
    '[',
    '{',
    ']',
    '}',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    '{1:1}',
    '{"a":1 "b":2}',
    '[}',
    '{]',
    '1 2',
    '{}{}',
    '[] x',
    'tru',
    'truex',
    'True',
    'NULL',
    '// note\n1',
    '[1]\0',
    '\ufeff1',
    '\u00a01',
    '\v1',
    '\f1',
    '1\u2028',
  ])('are not %j', (text) => {
    expect(refusal(text)).toBeInstanceOf(JsonError);
  });

  it('are refused with the place of the fault', () => {
    expect(refusal('{"a": tru}').offset).toBe(6);
    expect(refusal('[1,]').offset).toBe(3);
    expect(refusal('["ab\n"]').offset).toBe(4);
    expect(refusal(' "abc').offset).toBe(1);
    expect(refusal('["\\q"]').offset).toBe(2);
    expect(refusal('1 x').message).toContain('at offset 2');
  });
});

describe('nesting', () => {
  it('is read and written up to the limit', () => {
    expect(writeJson(readJson(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH));
    expect(() => readJson(`[${nested(MAX_DEPTH - 1)},${nested(MAX_DEPTH - 1)}]`)).not.toThrow();
  });

  it('is refused one deeper, in arrays and in objects', () => {
    expect(refusal(nested(MAX_DEPTH + 1)).offset).toBe(MAX_DEPTH);
    expect(refusal(`${'{"a":'.repeat(MAX_DEPTH)}{}${'}'.repeat(MAX_DEPTH)}`).message).toContain(
      '128',
    );
  });

  it('of a hundred thousand levels is refused without exhausting the stack', () => {
    expect(refusal('['.repeat(100_000)).offset).toBe(MAX_DEPTH);
    expect(refusal('{"a":'.repeat(100_000))).toBeInstanceOf(JsonError);
    expect(refusal(nested(100_000))).toBeInstanceOf(JsonError);
  });

  it('is never written deeper than it would be read', () => {
    expect(() => writeJson([readJson(nested(MAX_DEPTH))])).toThrow(RangeError);
  });
});

it('writing refuses what is no JSON value instead of writing something else', () => {
  for (const value of [undefined, 5, 5n, Symbol('s'), () => 5]) {
    expect(() => writeJson([value as unknown as JsonValue])).toThrow(TypeError);
  }
});

describe('for any text', () => {
  /** Numbers as JavaScript has them, where it has them exactly; the rest as `JSON.parse` makes it. */
  function plain(value: JsonValue): unknown {
    if (value instanceof NumberText) return Number(value.text);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  }

  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '0', ''));
  const jsonText = fc.oneof(
    fc.json({ stringUnit: 'binary' }),
    fc.dictionary(key, fc.jsonValue()).map((value) => JSON.stringify(value, null, '\t')),
  );

  it('that is JSON, reading agrees with JSON.parse', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        assert.deepEqual(plain(readJson(text)), JSON.parse(text));
      }),
    );
  });

  it('that is almost JSON, reading refuses what JSON.parse refuses', () => {
    const fragment = fc.constantFrom(...'{}[]",:\\u0123eE+-.tfn \t\n\r\v\0\ufeff', '');
    const edited = fc
      .tuple(jsonText, fc.nat(), fc.nat({ max: 1 }), fragment)
      .map(([text, at, cut, insert]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + cut);
      });
    const reads = (read: (text: string) => unknown, text: string): boolean => {
      try {
        read(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(edited, (text) => {
        expect(reads(readJson, text)).toBe(reads(JSON.parse, text));
      }),
      { numRuns: 500 },
    );
  });

  it('at all, reading answers or throws a JsonError', () => {
    const tokens = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\u', '1', '-', 'NaN', ' '),
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), tokens), (text) => {
        try {
          readJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
        }
      }),
    );
  });
});

it('every value that is written is read back the same', () => {
  const number = fc
    .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt(), fc.integer())
    .map((value) => new NumberText(String(value)));
  const text = fc.string({
    unit: fc.oneof(fc.string(), fc.constantFrom('\ud800', '\udc00', '"', '\\', '\n')),
  });
  const { value } = fc.letrec<{ value: JsonValue; array: JsonValue[]; object: JsonObject }>(
    (tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom<JsonValue>(null, true, false),
        text,
        number,
        tie('array'),
        tie('object'),
      ),
      array: fc.array(tie('value'), { maxLength: 6 }),
      object: fc
        .array(
          fc.tuple(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '7')), tie('value')),
          {
            maxLength: 6,
          },
        )
        .map(objectOf),
    }),
  );
  fc.assert(
    fc.property(value, (original) => {
      const written = writeJson(original);
      // Not `toStrictEqual`, which asks a member named `constructor` for the type of the object.
      assert.deepEqual(readJson(written), original);
      expect(writeJson(readJson(written))).toBe(written);
    }),
  );
});
