/**
 * Checks the values of single options. Every usage error here comes before the disk is read or written.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import { hidesSomething } from '../text/visible.ts';

/** Characters. */
const MAX_HOLDER = 64;

export const usageError = (message: string, hint: string): FleetError =>
  new FleetError('VALUE_INVALID', message, { hint });

/** Whether `--as` accepts it. Only such a name is used in a printed command. */
export const isHolderName = (text: string): boolean =>
  text !== '' && [...text].length <= MAX_HOLDER && !hidesSomething(text);

export function readHolder(text: string): string {
  if (isHolderName(text)) return text;
  throw usageError(
    `\`${text}\` cannot be a holder`,
    `a holder is 1 to ${MAX_HOLDER} characters, all of them visible`,
  );
}

/** A reason of only white space or invisible characters counts as no reason. */
export const reasonIn = ({ reason }: { readonly reason?: string }): string | undefined =>
  reason === undefined || /^[\s\p{Cf}]*$/u.test(reason) ? undefined : reason;

export function readUser(text: string): string {
  if (text.trim() === text && !hidesSomething(text)) return text;
  throw usageError(
    `\`${text}\` cannot be a user id`,
    'give it exactly as the gateway knows it, without space around it or hidden characters',
  );
}
