/**
 * Which process group a process is in, and whether a terminal listens to it.
 * Told by /proc, and so on Linux alone; elsewhere it is not known.
 */
import { readFileSync } from 'node:fs';

export interface Membership {
  readonly group: number;
  /** The group that the process's terminal hands Ctrl-C to; -1 where it has no terminal. */
  readonly foreground: number;
}

/** null: not known. */
export function membershipOf(pid: number | 'self'): Membership | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name in parentheses may hold anything, a parenthesis too.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const membership = { group: Number(group), foreground: Number(foreground) };
  return membership.group > 0 && Number.isInteger(membership.foreground) ? membership : null;
}
