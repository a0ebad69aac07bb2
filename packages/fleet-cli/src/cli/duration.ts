/**
 * Reads the value of an option that is a duration, in milliseconds.
 * Whether the resulting instant is a valid date is for the caller to check.
 */
import { parseDuration } from '@fleet-estop/sentinel-core';
import { usageError } from './values.ts';

export function readDurationMs(option: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== null) return Number(seconds) * 1000;
  throw usageError(
    `\`${option} ${text}\` is not a duration`,
    'write it as 45m, 2h, 1h30m, 2d or plain seconds, lower case and more than zero',
  );
}
