/**
 * Judges the value of one option, beside which nothing else is known yet.
 * Every refusal here comes before anything was read from disk, let alone written.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import { hidesSomething } from '../text/visible.ts';

/** Characters. */
const MAX_HOLDER = 64;

export const usageError = (message: string, hint: string): FleetError =>
  new FleetError('VALUE_INVALID', message, { hint });

/** A name that `--as` takes, and so one that a printed command may use. */
export const isHolderName = (text: string): boolean =>
  text !== '' && [...text].length <= MAX_HOLDER && !hidesSomething(text);

export function readHolder(text: string): string {
  if (isHolderName(text)) return text;
  throw usageError(
    `\`${text}\` cannot be a holder`,
    `a holder is 1 to ${MAX_HOLDER} characters, all of them visible`,
  );
}

/** A reason of nothing but space says nothing: it is as if none had been given. */
export const reasonIn = ({ reason }: { readonly reason?: string }): string | undefined =>
  reason === undefined || /^[\s\p{Cf}]*$/u.test(reason) ? undefined : reason;

export function readUser(text: string): string {
  if (text.trim() === text && !hidesSomething(text)) return text;
  throw usageError(
    `\`${text}\` cannot be a user id`,
    'give it exactly as the gateway knows it, without space around it or hidden characters',
  );
}
