/**
 * Timers that stop and start at once when a profile is paused and resumed, instead of at a tick.
 * It spares ticks and admits nothing: what a timer starts still asks at its door.
 */
import type { Gate } from '../gate/gate.ts';

/**
 * Calls `start` for every profile that runs, now and after each lift, and `stop` when a pause comes,
 * in turns. `resumeAfterMs` is how long catch-up work of that profile should wait; plain timers need
 * not. Answers how to end it, which stops what was started.
 */
export function whileRunning(
  gate: Gate,
  start: (profile: string, resumeAfterMs: number) => void,
  stop: (profile: string) => void,
): () => void {
  const started = new Set<string>();
  const stopped = (profile: string): void => {
    stop(profile);
    // Only now: what could not be stopped is stopped at the next change.
    started.delete(profile);
  };
  const forget = gate.onChange(({ profile, engaged, resumeAfterMs }) => {
    if (started.has(profile) !== engaged) return;
    if (engaged) return stopped(profile);
    // Before it is called: where it fails half-way, there is something to stop all the same.
    started.add(profile);
    start(profile, resumeAfterMs);
  });
  return () => {
    forget();
    for (const profile of [...started]) stopped(profile);
  };
}
