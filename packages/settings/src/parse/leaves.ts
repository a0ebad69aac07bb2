/**
 * The kinds of values that settings are made of. The `error` of each is what was expected, in words
 * that follow "expected": what is wrong with a value is put together by `judge.ts`.
 */
import { parseDuration } from '@fleet-estop/sentinel-core';
import * as z from 'zod';
import { hidesSomething } from '../problem.ts';

export interface Duration {
  /** As it stands in the file. */
  readonly text: string;
  readonly ms: number;
}

/** What editors check while typing; the grammar itself is `parseDuration`. */
const DURATION_PATTERN = '^([0-9]+ *[dhms]?|(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?)$';

/** `minMs` and `maxMs` are allowed themselves. */
export const duration = (
  expected: string,
  { minMs = 0, maxMs = Number.POSITIVE_INFINITY }: { minMs?: number; maxMs?: number } = {},
) =>
  z
    .string({ error: expected })
    .transform((text, context): Duration => {
      const seconds = parseDuration(text);
      const ms = Number(seconds) * 1_000;
      if (seconds !== null && ms >= minMs && ms <= maxMs) return { text, ms };
      context.issues.push({ code: 'custom', message: expected, input: text });
      return z.NEVER;
    })
    .meta({ type: ['string', 'integer'], pattern: DURATION_PATTERN, minimum: 1 });

/** Text of which every character is seen. */
export const visibleText = (expected: string, maxLength: number) =>
  z
    .string({ error: expected })
    .min(1, { error: expected })
    .max(maxLength, { error: expected })
    .refine((text) => text.trim() === text && !hidesSomething(text), { error: expected });

export const truth = () => z.boolean({ error: '`true` or `false`' });

/** Unknown keys are mistakes worth naming, so the message of that one is the keys there are. */
export const mapping = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? Object.keys(shape).join(KEY_SEPARATOR) : 'a mapping',
  });

export const KEY_SEPARATOR = ', ';

/** Only what is written as `version: 1` is read as version 1. */
export const version = () => z.literal(1, { error: '`1`, the only version there is' });
