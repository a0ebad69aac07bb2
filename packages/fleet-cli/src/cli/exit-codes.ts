/**
 * The exit codes. They are part of the contract with scripts.
 * Each verb decides which outcome it had.
 */
import { FleetError } from '@fleet-estop/sentinel-core';

export const EXIT = {
  /** Done, or the assertion holds. */
  done: 0,
  /** Assertion false, could not lift, or could not arm. */
  notAsAsked: 1,
  /** Nothing was changed. */
  usage: 2,
  /** Some state could not be read, and counts as held. */
  unreadable: 3,
  /** Some gateways that are expected have not acknowledged, or nobody has. */
  partial: 4,
  /** It did not become true within the time to wait. */
  timedOut: 5,
  /** Somebody else wrote first. */
  lostCompareAndSet: 6,
  /** `resume`: what was asked for is lifted, and other holds stand. */
  othersHold: 7,
  /** `gate`: new work is not admitted. */
  refused: 75,
  /** With a wrapped command, any failure of fleet itself: commands do not use this status. */
  fleetFailed: 125,
  cannotExecute: 126,
  notFound: 127,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The status of a verb that worked on several scopes: the worst of their statuses. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const { unreadable, notAsAsked, lostCompareAndSet, othersHold, usage } = EXIT;
  const order = [unreadable, notAsAsked, lostCompareAndSet, othersHold, usage];
  return order.find((code) => codes.includes(code)) ?? EXIT.done;
}

/** `failure`: the verb's status after an unexpected error; it is never success. */
export function exitOf(error: unknown, failure: ExitCode): ExitCode {
  if (!(error instanceof FleetError)) return failure;
  switch (error.code) {
    case 'SCOPE_UNUSABLE':
      return failure;
    // For a verb that reads, the state is unknown; for one that writes, the user named the wrong folder.
    case 'ROOT_UNRECOGNIZED':
      return failure === EXIT.unreadable ? failure : EXIT.usage;
    default:
      return EXIT.usage;
  }
}
