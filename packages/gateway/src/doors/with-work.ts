/**
 * Keeps work in hand for as long as a function runs.
 * Whether it may start is asked before, at a door.
 */
import type { Gate, Work, WorkInHand } from '../gate/gate.ts';

export type WithWork<Value> =
  | { readonly begun: true; readonly value: Value }
  /** Work with this id is already in hand, or may be. */
  | { readonly begun: false };

/** Begins the work, runs the function and ends the work in any case. Rejects with what `run` throws. */
export async function withWork<Value>(
  gate: Gate,
  work: Work,
  run: (inHand: WorkInHand) => Value | Promise<Value>,
): Promise<WithWork<Value>> {
  const inHand = gate.begin(work);
  if (inHand === null) return { begun: false };
  try {
    return { begun: true, value: await run(inHand) };
  } finally {
    inHand.end();
  }
}
