/**
 * `--dry-run`: the verb's own code on a copy of what is there, and the files that it would leave.
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

/** The text of the sentinel that would stand in this folder; null: none would, or it is no text file. */
export function sentinelText(disk: DiskPort, dir: string): string | null {
  try {
    const handle = disk.open(`${dir}/${SENTINEL}`, 'r');
    return new TextDecoder().decode(disk.read(handle));
  } catch (error) {
    errnoOrThrow(error);
    return null;
  }
}
