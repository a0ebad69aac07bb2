/**
 * Checks the values of single options. Every usage error here comes before the disk is read or written.
 */
import { FleetError, HOLDER_NAME_RULE, isHolderName } from '@fleet-estop/sentinel-core';
import { hidesSomething } from '../text/visible.ts';

export const usageError = (message: string, hint: string): FleetError =>
  new FleetError('VALUE_INVALID', message, { hint });

export function readHolder(text: string): string {
  if (isHolderName(text)) return text;
  throw usageError(`\`${text}\` cannot be a holder`, HOLDER_NAME_RULE);
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
