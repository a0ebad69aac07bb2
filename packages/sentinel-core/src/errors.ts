/**
 * The error family of this package. Match on `code`, never on the message.
 * Foreseen results of operations on holds are values (`disk/results.ts`). These errors report a
 * wrong path, root, profile or value.
 */

/** What went wrong, as a stable literal. */
export type FleetErrorCode =
  /** A folder is missing, or cannot be reached or read. */
  | 'SCOPE_UNUSABLE'
  /** There is no folder where the root should be. */
  | 'ROOT_MISSING'
  /** The folder exists, but nothing shows that it is a fleet. */
  | 'ROOT_UNRECOGNIZED'
  /** The name or the folder is not a profile's. */
  | 'PROFILE_INVALID'
  /** The fleet has no profile of this name. */
  | 'PROFILE_UNKNOWN'
  /** An argument has a value that is not allowed. */
  | 'VALUE_INVALID';

/**
 * An error with a stable `code`, a `message` for people and a `hint`. `cause` is the original
 * error.
 */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly code: FleetErrorCode;
  /** What to do now, in one sentence. */
  readonly hint: string;

  constructor(code: FleetErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
