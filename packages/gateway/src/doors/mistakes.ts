/**
 * Reports errors in the functions that an author gave to a door.
 * Each door has refused by then; whom it refuses is that door's decision.
 */
import { safely } from '../link/safely.ts';

/** Called with what an author's function threw. The door has already refused. */
export type OnMistake = (error: unknown) => void;

/**
 * Without a listener, only the first error of a door becomes a process warning: an outsider could
 * otherwise cause any number of them.
 */
export function mistakesOf(door: string, onMistake: OnMistake | undefined): OnMistake {
  let warned = false;
  const warnOnce = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`a function given to the door \`${door}\` failed: ${said}`, {
      code: 'FLEET_DOOR_MISTAKE',
      detail: 'the door refused; set `onMistake` to receive every such error',
    });
  };
  const hear = onMistake ?? warnOnce;
  // The request must be answered even if the listener throws too.
  return (error) => void safely(() => hear(error));
}

/** Returns `answer`. Throws TypeError if it is a promise: a door decides synchronously. */
export function atOnce<T>(answer: T, what: string): T {
  if (!(answer instanceof Promise)) return answer;
  // The TypeError reports the mistake; a rejection must not end the process as well.
  answer.catch(() => {});
  throw new TypeError(`${what} must return a value, not a promise`);
}
