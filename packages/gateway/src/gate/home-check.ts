/**
 * Is a lane still where it was when its gate was opened? A fleet that is moved or unmounted takes its
 * holds along, and leaves nothing that refuses.
 * What stands in its scopes is `admission.ts`.
 */
import { type DiskPort, recognizeRoot } from '@fleet-estop/sentinel-core';
import type { ServedHome } from './served-homes.ts';

/** Answers why not, or null: it is. One `lstat` for a profile, two for the lane of the root itself. */
export function homeCheck({ home, chain }: ServedHome, disk: DiskPort): () => string | null {
  /** The folder itself, be the home a link. */
  const inside = `${home}/.`;
  const isRoot = chain.scopes[0]?.kind === 'root';
  let sign: string | null = null;

  /** A profile's home lies in `profiles/`, which shows its root. A root may be left as an empty folder. */
  const showsRoot = (): boolean => {
    if (sign !== null && disk.lstat(`${home}/${sign}`) !== null) return true;
    const recognition = recognizeRoot(home);
    sign = recognition.is === 'root' ? recognition.by : null;
    return sign !== null;
  };

  return () => {
    if (disk.lstat(inside)?.kind !== 'dir') return 'its home folder is gone';
    return isRoot && !showsRoot()
      ? 'its home folder does not show any more that it is a fleet'
      : null;
  };
}
