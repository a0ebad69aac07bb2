/**
 * Asks a scheduler's door as soon as a pause comes, so that its line is logged then: its timers may be
 * stopped by then (`whileRunning`), and the next tick comes after the lift.
 */
import type { Door, Gate } from '../gate/gate.ts';

/** Announces the door, too. Answers how to end it. */
export function askAtEachPause(gate: Gate, door: Door, profile: string): () => void {
  gate.announce(door, profile);
  return gate.onChange((change) => {
    if (change.engaged && change.profile === profile) gate.dispatch(door, profile);
  });
}
