/**
 * Checks what a gateway's author gives for a piece of work.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { WorkToBegin } from './register.ts';
import { isLimit } from './texts.ts';

/** Throws VALUE_INVALID. */
export function refuseInvalid({ door, id, conversation, stallMs }: WorkToBegin): void {
  const refuse = (what: string, hint: string) => {
    throw new FleetError('VALUE_INVALID', what, { hint });
  };
  if (!isText(door) || !isText(id)) {
    const hint = 'give both the door and the work a name that is not empty';
    refuse(`work \`${id}\` of door \`${door}\` has no name`, hint);
  }
  if ((conversation ?? null) !== null && !isText(conversation)) {
    refuse(`\`${conversation}\` is not a conversation`, 'give a text that is not empty, or null');
  }
  if ((stallMs ?? null) !== null && !isLimit(stallMs)) {
    refuse(`\`${stallMs}\` is not a limit`, 'give whole milliseconds, at least 1, or null');
  }
}

/** JavaScript callers can pass anything; `undefined` and `null` would share one digest. */
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Throws VALUE_INVALID. */
export function processId(pid: number): number {
  if (Number.isSafeInteger(pid) && pid > 0) return pid;
  throw new FleetError('VALUE_INVALID', `\`${pid}\` is not a process id`, {
    hint: 'give the pid of the worker process',
  });
}
