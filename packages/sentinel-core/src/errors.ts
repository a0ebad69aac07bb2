/**
 * The one error family. Match on `code`, never on the message.
 */
export type FleetErrorCode =
  | 'SCOPE_UNUSABLE'
  | 'ROOT_MISSING'
  /** The folder is there, and nothing shows that it is a fleet. */
  | 'ROOT_UNRECOGNIZED'
  | 'PROFILE_INVALID'
  | 'PROFILE_UNKNOWN'
  | 'VALUE_INVALID';

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
