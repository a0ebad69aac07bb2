/**
 * Whatever bytes stand in a sentinel, they hold, unless they are a body of which every deadline has
 * passed.
 * What stands there instead of a file (a link, a pipe, a folder) is left to the tests of the disk.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { check } from '../../src/disk/check.ts';
import { classify } from '../../src/disk/inspect.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { holdOf, MAX_BODY_BYTES, writeBody } from '../../src/model/body.ts';
import { writeJson } from '../../src/model/json.ts';
import { anyBody, NOW, objectOf, WALL } from './arbitrary-bodies.ts';

const folder = mkdtempSync(join(tmpdir(), 'fleet-bytes-'));
afterAll(() => rmSync(folder, { recursive: true }));
const disk = { ...nodeDisk(), now: () => NOW };

/** Asked as a gate asks, of a real file. */
function isFreeOnDisk(bytes: Uint8Array): boolean {
  writeFileSync(join(folder, 'ESTOP'), bytes);
  return !check(disk, folder).engaged;
}

const isFree = (bytes: Uint8Array): boolean => classify(bytes, '7', WALL).state !== 'active';

const PASSED = '2001-01-01T00:00:00+00:00';
const TO_COME = '2990-01-01T00:00:00+00:00';

function bodyWith(deadlines: readonly string[], allow: readonly string[] = []): Buffer {
  const holds = deadlines.map((expires_at, at) =>
    holdOf({
      id: `h${at}`,
      holder: 'operator',
      reason: 'caf\u00e9 \u{1f6d1}',
      expires_at,
      ...(allow.length === 0 ? {} : { allow: objectOf([['user_ids', [...allow]]]) }),
    }),
  );
  return Buffer.from(writeBody('g', holds, objectOf([])));
}

/**
 * What must be true of bytes that read as free, found out with nothing of ours: a JSON object whose
 * top level and whose every hold has a deadline in a year that is over or has begun.
 */
function saysExpired(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const body: { expires_at?: unknown; holds?: unknown } = JSON.parse(text);
  const entries: unknown[] = Array.isArray(body.holds) ? body.holds : [];
  return [body, ...entries].every((entry) => {
    const { expires_at: deadline } = entry as { expires_at?: unknown };
    if (typeof deadline !== 'string') return false;
    const year = /^\s*(\d{4})/.exec(deadline)?.[1];
    return year !== undefined && Number(year) <= 2026;
  });
}

/** Bytes near those of a real body: some replaced, dropped, doubled or inserted. */
const anyMutation = fc
  .tuple(
    fc.constantFrom(bodyWith([PASSED]), bodyWith([TO_COME]), bodyWith([PASSED, TO_COME, PASSED])),
    fc.array(
      fc.tuple(
        fc.nat({ max: 2_000 }),
        fc.constantFrom('replace', 'drop', 'double', 'insert'),
        fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from('{}[]",:0129-Z \\'))),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([body, edits]) => {
    const bytes = [...body];
    for (const [place, edit, byte] of edits) {
      const at = place % bytes.length;
      if (edit === 'replace') bytes[at] = byte;
      else if (edit === 'drop') bytes.splice(at, 1);
      else bytes.splice(at, 0, edit === 'double' ? (bytes[at] ?? byte) : byte);
    }
    return Uint8Array.from(bytes);
  });

describe('bytes in a sentinel', () => {
  it('of any kind hold, on a real file', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(isFreeOnDisk(bytes)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('that are any JSON hold, unless it says that all of it has expired', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), anyBody.map(writeJson)), (text) => {
        const bytes = Buffer.from(text);
        if (isFree(bytes)) expect(saysExpired(bytes)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that were a body before something damaged them hold, unless all of it has expired', () => {
    fc.assert(
      fc.property(anyMutation, (bytes) => {
        if (isFree(bytes)) expect(saysExpired(bytes)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('that are an expired body are free, or none of this would mean anything', () => {
    expect(isFreeOnDisk(bodyWith([PASSED]))).toBe(true);
    expect(isFreeOnDisk(bodyWith([PASSED, PASSED]))).toBe(true);
  });
});

describe('a body that was cut short', () => {
  it('at any byte holds, although the whole has expired', () => {
    const whole = bodyWith([PASSED, PASSED], ['u1']);
    for (let length = 0; length < whole.length; length++) {
      expect(isFree(whole.subarray(0, length)), `after ${length} bytes`).toBe(false);
    }
  });

  it('at any byte admits nobody, although the whole does', () => {
    const whole = bodyWith([TO_COME], ['u1']);
    expect(classify(whole, '7', WALL).holds[0]?.allow).not.toBeNull();
    for (let length = 0; length < whole.length; length++) {
      const { state, holds, unreadable } = classify(whole.subarray(0, length), '7', WALL);
      expect(state, `after ${length} bytes`).toBe('active');
      expect(holds.map(({ allow }) => allow)).toEqual([null]);
      expect(unreadable).toMatch(length === 0 ? 'empty' : /^not-(json|utf8)$/);
    }
  });
});

describe('several holds in one body', () => {
  it('hold until the last of them has expired', () => {
    expect(isFree(bodyWith([PASSED, TO_COME]))).toBe(false);
    expect(isFree(bodyWith([TO_COME, PASSED]))).toBe(false);
    expect(isFree(bodyWith([PASSED, 'soon']))).toBe(false);
  });

  it.each([
    ['the top level has not', `"expires_at":"${TO_COME}"`],
    ['the top level has no deadline', '"reason":"r"'],
  ])('hold although all of them have expired, where %s', (_why, top) => {
    const text = `{${top},"holds":[{"id":"a","expires_at":"${PASSED}"}]}`;
    expect(isFree(Buffer.from(text))).toBe(false);
  });

  it('hold although the top level has expired, where one of them has not', () => {
    const text = `{"expires_at":"${PASSED}","holds":[{"id":"a","expires_at":"${TO_COME}"}]}`;
    expect(isFree(Buffer.from(text))).toBe(false);
  });
});

describe('the limit of 64 KiB', () => {
  const expired = bodyWith([PASSED]);
  const padded = (length: number) => Buffer.concat([expired, Buffer.alloc(length, ' ')], length);

  it('lets a body be read that is exactly as long', () => {
    expect(isFreeOnDisk(padded(MAX_BODY_BYTES))).toBe(true);
  });

  it('holds with one byte more, although all of it has expired', () => {
    expect(isFreeOnDisk(padded(MAX_BODY_BYTES + 1))).toBe(false);
  });
});
