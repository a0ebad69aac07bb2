/**
 * On which file systems changes can happen without a notice to this host.
 * Which file systems there are is `fileSystemAt` of the core.
 */
import { fileSystemAt } from '@fleet-estop/sentinel-core';

/** Its name, where notices may not come; null: they do, or it cannot be told. */
export function silentFileSystem(dir: string): string | null {
  try {
    const { known } = fileSystemAt(dir);
    return known?.kind === 'network' || known?.kind === 'union' ? known.name : null;
  } catch {
    return null;
  }
}
