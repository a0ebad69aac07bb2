/**
 * What a file looks like from outside, so that a change is seen without reading it.
 */
import { lstatSync, statSync } from 'node:fs';

export interface Signature {
  readonly text: string;
  /** Written a moment ago: a second write within one tick of the file system's clock looks the same. */
  readonly young: boolean;
}

/** The coarsest clock of a file system in use. */
const COARSEST_TICK_MS = 2_000;

const QUIET = { throwIfNoEntry: false } as const;
const BIG = { bigint: true, throwIfNoEntry: false } as const;
const ABSENT: Signature = { text: 'absent', young: false };

/** Links are followed, since settings are delivered by swapping them. */
export function signatureOf(path: string): Signature {
  try {
    // Most lanes have none, and times to the nanosecond cost twice as much.
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
