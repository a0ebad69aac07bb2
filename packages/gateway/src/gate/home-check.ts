/**
 * Checks that a profile's home still exists. A fleet that is moved or unmounted takes its holds along,
 * and nothing would be left that refuses.
 * The holds of its scopes are `admission.ts`.
 */
import { type DiskPort, recognizeRoot } from '@fleet-estop/sentinel-core';
import type { ServedHome } from './served-homes.ts';

/**
 * The returned check answers why the home is gone, or null if it is there. It costs one `lstat` for a
 * profile, two for the profile `default`.
 */
export function homeCheck({ home, chain }: ServedHome, disk: DiskPort): () => string | null {
  /** With `/.`, a home that is a link is resolved to its folder. */
  const inside = `${home}/.`;
  const isRoot = chain.scopes[0]?.kind === 'root';
  let sign: string | null = null;

  /** Only a root needs this: an unmounted one can leave an empty folder behind. */
  const showsRoot = (): boolean => {
    if (sign !== null && disk.lstat(`${home}/${sign}`) !== null) return true;
    const recognition = recognizeRoot(home);
    sign = recognition.is === 'root' ? recognition.by : null;
    return sign !== null;
  };

  return () => {
    if (disk.lstat(inside)?.kind !== 'dir') return 'its home folder is gone';
    return isRoot && !showsRoot() ? 'its home folder is no longer recognized as a fleet' : null;
  };
}
