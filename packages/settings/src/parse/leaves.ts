/**
 * Schemas of the values in settings. The `error` of each completes the sentence "expected …".
 * The whole complaint is built by `complaints.ts`.
 */
import { hidesSomething, parseDuration } from '@fleet-estop/sentinel-core';
import * as z from 'zod';

export interface Duration {
  /** As written in the file. */
  readonly text: string;
  readonly ms: number;
}

/** An approximation for editors; the exact grammar is `parseDuration`. */
const DURATION_PATTERN = '^([0-9]+ *[dhms]?|(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?)$';

/** A duration from `minMs` to `maxMs`, inclusive. Default: no bounds. */
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

/** Text of 1 to `maxLength` characters without invisible characters or outer spaces. */
export const visibleText = (expected: string, maxLength: number) =>
  z
    .string({ error: expected })
    .min(1, { error: expected })
    .max(maxLength, { error: expected })
    .refine((text) => text.trim() === text && !hidesSomething(text), { error: expected });

export const truth = () => z.boolean({ error: '`true` or `false`' });

/** A strict mapping. The message for unknown keys is the list of known keys, for `complaints.ts`. */
export const mapping = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? Object.keys(shape).join(KEY_SEPARATOR) : 'a mapping',
  });

export const KEY_SEPARATOR = ', ';

/** Requires `version: 1`. */
export const version = () => z.literal(1, { error: '`1`, the only version there is' });
