/**
 * The process group of a process, and the foreground group of its terminal.
 * Read from /proc, so it is known on Linux only.
 */
import { readFileSync } from 'node:fs';

export interface Membership {
  readonly group: number;
  /** The group that receives Ctrl-C from the process's terminal; -1 without a terminal. */
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
  // The name in parentheses may contain anything, also a parenthesis.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const membership = { group: Number(group), foreground: Number(foreground) };
  return membership.group > 0 && Number.isInteger(membership.foreground) ? membership : null;
}
