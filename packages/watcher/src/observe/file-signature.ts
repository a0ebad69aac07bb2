/**
 * The metadata of a file, so that a change is noticed without reading the file.
 */
import { lstatSync, statSync } from 'node:fs';

export interface Signature {
  readonly text: string;
  /**
   * Written a moment ago: another write within the same tick of the file system's clock is
   * invisible.
   */
  readonly young: boolean;
}

/** The coarsest file system clock in use. */
const COARSEST_TICK_MS = 2_000;

const QUIET = { throwIfNoEntry: false } as const;
const BIG = { bigint: true, throwIfNoEntry: false } as const;
const ABSENT: Signature = { text: 'absent', young: false };

/** Follows links, since settings are delivered by swapping links. */
export function signatureOf(path: string): Signature {
  try {
    // Most profiles have no such file, and nanosecond times cost twice as much.
    if (lstatSync(path, QUIET) === undefined) return ABSENT;
    const entry = lstatSync(path, BIG);
    if (entry === undefined) return ABSENT;
    const found = entry.isSymbolicLink() ? statSync(path, BIG) : entry;
    if (found === undefined) return { text: 'dangling', young: false };
    const { dev, ino, mode, size, mtimeNs, ctimeNs, ctimeMs } = found;
    const young = Math.abs(Date.now() - Number(ctimeMs)) < COARSEST_TICK_MS;
    return { text: `${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`, young };
  } catch (error) {
    return { text: (error as NodeJS.ErrnoException).code ?? 'unknown', young: false };
  }
}
