import { statSync } from 'node:fs';
import { recognizeRoot } from '@fleet-estop/sentinel-core';

/**
 * Why this folder is no fleet now, an errno or `no-fleet`; null: it is one.
 * A fleet whose root is gone has no profiles to list; that is not "no profiles". Nor is the empty
 * folder that is left where a root was unmounted.
 */
export function whyNoRoot(root: string): string | null {
  try {
    if (!statSync(root).isDirectory()) return 'ENOTDIR';
    const recognition = recognizeRoot(root);
    if (recognition.is === 'root') return null;
    return recognition.is === 'unknown' ? recognition.why : 'no-fleet';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
