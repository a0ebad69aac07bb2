/**
 * A session for `--dry-run`: the verb runs on a copy of the disk in memory.
 * The copy is `disk.ts`.
 */
import { type DiskPort, SENTINEL } from '@fleet-estop/sentinel-core';
import type { Session } from '../fleet/session.ts';
import { dryRunDisk } from './disk.ts';
import { errnoOrThrow } from './tree.ts';

export const forDryRun = (session: Session): Session => ({
  ...session,
  disk: dryRunDisk(session.disk),
  operation: null,
  dryRun: true,
});

/** The text of the sentinel that this folder would have; null: it would have none, or it is not a file. */
export function sentinelText(disk: DiskPort, dir: string): string | null {
  try {
    const handle = disk.open(`${dir}/${SENTINEL}`, 'r');
    return new TextDecoder().decode(disk.read(handle));
  } catch (error) {
    errnoOrThrow(error);
    return null;
  }
}
