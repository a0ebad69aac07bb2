/**
 * What an author's own function throws inside a door: it has been taken for a refusal by then, and
 * here it is said. Whom that refuses is each door's own to decide.
 */
import { safely } from '../link/safely.ts';

/** Hears of mistakes in the author's functions; the door has refused already. */
export type OnMistake = (error: unknown) => void;

/**
 * Where the author gave no listener, the first mistake of a door is a warning of the process. The
 * rest would say the same, as often as an outsider likes.
 */
export function mistakesOf(door: string, onMistake: OnMistake | undefined): OnMistake {
  let warned = false;
  const warnOnce = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`a function given to the door \`${door}\` failed: ${said}`, {
      code: 'FLEET_DOOR_MISTAKE',
      detail: 'it counts as a refusal; give the door `onMistake` to hear of each',
    });
  };
  const hear = onMistake ?? warnOnce;
  // A listener that fails as well is no reason to leave somebody unanswered.
  return (error) => void safely(() => hear(error));
}

/** What an author's function answered, unless it was a promise: nobody waits for one at a door. */
export function atOnce<T>(answer: T, what: string): T {
  if (!(answer instanceof Promise)) return answer;
  // Said below; that it also failed is no reason to end the process.
  answer.catch(() => {});
  throw new TypeError(`${what} must answer at once, and not by a promise`);
}
