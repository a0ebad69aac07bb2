/**
 * The error of a failed case: what is wrong with a gateway, and how its author can fix it.
 */
export class DoorFailure extends Error {
  override readonly name = 'DoorFailure';
  readonly code = 'DOOR_FAILED';
  /** The door, or `work`, `control` or `link`. */
  readonly door: string;
  /** What to do now. */
  readonly hint: string;

  constructor(door: string, message: string, hint: string, options?: { readonly cause: unknown }) {
    super(`${message}\n  to do: ${hint}`, options);
    this.door = door;
    this.hint = hint;
  }
}
