/**
 * Outcome to exit status: what scripts build on, and so part of the contract.
 * Which outcome a verb had is the verb's own affair.
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
  /** It was waited for as long as was asked, and did not come true. */
  timedOut: 5,
  /** Somebody else wrote first. */
  lostCompareAndSet: 6,
  /** `resume`: what was asked for is lifted, and other holds stand. */
  othersHold: 7,
  /** `gate`: new work is not admitted. */
  refused: 75,
  /** Where a command is wrapped, every failure of fleet's own: no command means it by this. */
  fleetFailed: 125,
  cannotExecute: 126,
  notFound: 127,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The status of a verb that several scopes were given to: the worst of theirs. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const { unreadable, notAsAsked, lostCompareAndSet, othersHold, usage } = EXIT;
  const order = [unreadable, notAsAsked, lostCompareAndSet, othersHold, usage];
  return order.find((code) => codes.includes(code)) ?? EXIT.done;
}

/** `failure`: the status of a verb that ended for a reason nobody foresaw, which is never success. */
export function exitOf(error: unknown, failure: ExitCode): ExitCode {
  if (!(error instanceof FleetError)) return failure;
  switch (error.code) {
    case 'SCOPE_UNUSABLE':
      return failure;
    // To whoever asks, nothing is known of what holds; whoever writes named the wrong folder.
    case 'ROOT_UNRECOGNIZED':
      return failure === EXIT.unreadable ? failure : EXIT.usage;
    default:
      return EXIT.usage;
  }
}
