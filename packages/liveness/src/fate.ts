/**
 * Whether a process that a record names is certainly gone.
 * What follows from that is for whoever keeps the record.
 */
import { here, type Place, sharesProcessIds, wasRestarted } from './place.ts';
import { type ProcessMark, processAt, sameBirth } from './process-mark.ts';

export type Fate = 'alive' | 'gone' | 'unknown';

/**
 * `gone` only where that is certain; a stopped process is alive, one that was killed and not yet
 * waited for is gone. What lives on another machine or in another container, or may do so, is
 * unknown: its id means nothing here. Synchronous; on Linux three or four system calls, elsewhere
 * it starts `ps`.
 */
export function fateOf(mark: ProcessMark, at: Place = here()): Fate {
  const { pid, birth, place } = mark;
  if (!sharesProcessIds(place, at)) {
    return wasRestarted(place, at) ? 'gone' : 'unknown';
  }
  const found = processAt(pid);
  if (found === 'gone') return 'gone';
  const comparable = place.clock === '' || at.clock === '' || place.clock === at.clock;
  // Else the id was given to a later process.
  return !comparable || sameBirth(birth, found.birth) ? 'alive' : 'gone';
}
