/**
 * Bodies, holds and allowlists for properties: few names and few instants, so that they meet; and
 * every kind of nonsense in between.
 * What must hold for them is left to the tests.
 */
import fc from 'fast-check';
import { holdOf } from '../../src/model/body.ts';
import type { Clock } from '../../src/model/deadline.ts';
import type { Hold } from '../../src/model/hold.ts';
import { type JsonObject, type JsonValue, NumberText } from '../../src/model/json.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

/** A machine that does not know which boot it is in. */
export const wallAt = (nowMs: number): Clock => ({ nowMs, uptime: () => null });
export const WALL = wallAt(NOW);

/** An object as `readJson` makes them, `__proto__` included. */
export function objectOf(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: JsonObject = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/** Any text at all: lone surrogates, control characters, byte order marks. */
const anyText = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x22, 0x5c, 0xd800, 0xfeff)),
    {
      maxLength: 8,
    },
  )
  .map((codes) => String.fromCharCode(...codes));

// `NaN` and the infinities are no JSON, and are documented to be written as null.
const anyNumber = fc
  .oneof(
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    fc.bigInt().map(String),
    fc.constantFrom('0', '-0', '1.0', '1.10', '1E400', '9007199254740993'),
  )
  .map((text) => new NumberText(text));

const anyKey = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'x', ''), anyText);

export const { value: anyJson } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false), anyText, anyNumber),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 3 }).map(objectOf),
  ),
}));

/** Passed, to come, both with and without an offset, within one millisecond, and never. */
export const anyStamp = fc.constantFrom(
  '2001-01-01T00:00:00+00:00',
  '2025-12-31T23:59:59.999999Z',
  '2026-01-01T01:00:00+02:00',
  '2025-W01-1',
  '2026-01-01T00:00:00.000001Z',
  '2990-01-01T00:00:00.000100Z',
  '2990-01-01T00:00:00.000900Z',
  '2990-01-01',
  '9999-12-31T23:59:59-23:59',
  'soon',
  '',
);

const USERS = ['u1', 'u2', 'u3'];
const PROFILES = ['p1', 'p2'];

const idsFrom = (names: readonly string[]) =>
  fc.oneof(
    { arbitrary: fc.subarray([...names]), weight: 6 },
    { arbitrary: fc.constantFrom(...names), weight: 1 },
    { arbitrary: fc.array(anyJson, { maxLength: 2 }), weight: 1 },
    { arbitrary: anyJson, weight: 1 },
  );

export const anyAllow: fc.Arbitrary<JsonValue> = fc.oneof(
  {
    arbitrary: fc
      .record(
        { user_ids: idsFrom(USERS), profiles: idsFrom(PROFILES), x: anyJson },
        { requiredKeys: ['user_ids'] },
      )
      .map((allow) => objectOf(Object.entries(allow))),
    weight: 6,
  },
  { arbitrary: anyJson, weight: 1 },
);

/** Fields that ought to be texts, and now and then are not. */
const mostly = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ arbitrary, weight: 8 }, { arbitrary: anyJson, weight: 1 });

const anyActor: fc.Arbitrary<JsonValue> = fc.oneof(
  anyJson,
  fc
    .record({ user: anyText, host: anyText, pid: anyNumber, via: anyText })
    .map((actor) => objectOf(Object.entries(actor))),
);

const said = {
  reason: mostly(anyText),
  engaged_at: mostly(anyStamp),
  expires_at: mostly(anyStamp),
  allow: anyAllow,
};

/** An entry of `holds` that can be read: it has an id, whatever the rest of it says. */
export const anyEntry: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      id: fc.oneof(fc.uuid(), anyText),
      holder: mostly(fc.constantFrom('operator', 'cron', 'deploy', '')),
      ...said,
      actor: anyActor,
      x: anyJson,
    },
    { requiredKeys: ['id'] },
  )
  .map((entry) => objectOf(Object.entries(entry)));

export const anyHold: fc.Arbitrary<Hold> = anyEntry.map((entry) =>
  holdOf({ ...entry, id: String(entry['id']) }),
);

/** At least one, each with an id of its own. */
export const anyHolds = fc.uniqueArray(anyHold, {
  minLength: 1,
  maxLength: 5,
  selector: ({ id }) => id,
});

/** Top-level fields that this version does not know. */
export const anyExtra: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom('owner', 'version', '__proto__', 'mode', ''), anyJson), {
    maxLength: 3,
  })
  .map(objectOf);

/** What anybody may have written: the top level need not agree with `holds` in anything. */
export const anyBody: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      generation: mostly(anyText),
      ...said,
      holds: fc.oneof(
        {
          arbitrary: fc.array(
            fc.oneof({ arbitrary: anyEntry, weight: 6 }, { arbitrary: anyJson, weight: 1 }),
            { maxLength: 4 },
          ),
          weight: 6,
        },
        { arbitrary: anyJson, weight: 1 },
      ),
      x: anyJson,
    },
    { requiredKeys: [] },
  )
  .map((body) => objectOf(Object.entries(body)));
