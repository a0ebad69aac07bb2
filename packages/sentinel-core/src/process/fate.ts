/**
 * Decides whether a recorded process is certainly gone.
 * What follows from that is the caller's decision.
 */
import { here, type Place, sharesProcessIds, wasRestarted } from './place.ts';
import { type ProcessMark, processAt, sameBirth } from './process-mark.ts';

export type Fate = 'alive' | 'gone' | 'unknown';

/**
 * `gone` only if that is certain. A stopped process is alive; a zombie is gone. A process that is or may
 * be on another machine or in another container is `unknown`: its id means nothing here. `at` is where
 * this process runs. Synchronous: three or four system calls on Linux; on macOS it runs `ps`.
 */
export function fateOf(mark: ProcessMark, at: Place = here()): Fate {
  const { pid, birth, place } = mark;
  if (!sharesProcessIds(place, at)) {
    return wasRestarted(place, at) ? 'gone' : 'unknown';
  }
  const current = processAt(pid);
  if (current === 'gone') return 'gone';
  const comparable = place.clock === '' || at.clock === '' || place.clock === at.clock;
  // Another time of birth: the id was reused by a later process.
  return !comparable || sameBirth(birth, current.birth) ? 'alive' : 'gone';
}
