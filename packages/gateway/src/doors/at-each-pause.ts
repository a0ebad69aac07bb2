/**
 * Asks a scheduler's door as soon as a pause begins, so that the pause is logged then. The timers may
 * already be stopped (`whileRunning`), and the next tick would come only after the lift.
 */
import type { Door, Gate } from '../gate/gate.ts';

/** Also announces the door. Returns a function that stops it. */
export function askAtEachPause(gate: Gate, door: Door, profile: string): () => void {
  gate.announce(door, profile);
  return gate.onChange((change) => {
    if (!change.engaged || change.profile !== profile) return;
    // Where the pause is over already, the answer is a start that nobody makes.
    if (gate.dispatch(door, profile)) gate.returnStart(profile);
  });
}
