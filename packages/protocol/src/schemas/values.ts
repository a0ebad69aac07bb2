/**
 * Values that occur in many documents. Objects are strict, so that tests find undescribed keys.
 */
import * as z from 'zod';

export const text = z.string();
export const maybeText = text.nullable();
export const texts = z.array(text);
export const truth = z.boolean();
export const whole = z.int().min(0);
export const maybeWhole = whole.nullable();
/** ISO 8601 with an offset. */
export const instant = z.iso.datetime({ offset: true });
export const maybeInstant = instant.nullable();
export const scopeKind = z.enum(['profile', 'root', 'cluster']);
