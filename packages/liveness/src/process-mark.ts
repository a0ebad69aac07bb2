/**
 * A process, as a record names it: its id, when it was born, and where that is true.
 * What became of it is `fate.ts`.
 */
import { readFileSync } from 'node:fs';
import { commandOutput, here, orEmpty, type Place } from './place.ts';

export interface ProcessMark {
  readonly pid: number;
  /**
   * Digits: clock ticks since the machine started (Linux), seconds since 1970 (macOS). Compared with
   * `sameBirth`; empty: could not be told.
   */
  readonly birth: string;
  readonly place: Place;
}

/** null: there is no such process, or nothing of it will run again. */
export function markOf(pid: number = process.pid): ProcessMark | null {
  const found = processAt(pid);
  return found === 'gone' ? null : { pid, birth: found.birth, place: here() };
}

/** What a record says, which anybody may have written; null: it names no process. */
export function parseMark(value: unknown): ProcessMark | null {
  const { pid, birth, place } = fieldsOf(value);
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  const { host, machine, boot, pids, clock } = fieldsOf(place);
  return {
    pid,
    birth: textOf(birth),
    place: {
      host: textOf(host),
      machine: textOf(machine),
      boot: textOf(boot),
      pids: textOf(pids),
      clock: textOf(clock),
    },
  };
}

/** A process that shares our ids: gone, or alive since `birth`, as far as that can be told. */
export function processAt(pid: number): { readonly birth: string } | 'gone' {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM is somebody else's process, and so it is there.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'gone';
  }
  return process.platform === 'darwin' ? onDarwin(pid) : onLinux(pid);
}

function onLinux(pid: number): { readonly birth: string } | 'gone' {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may hold anything. After it: state first, threads 18th, birth 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads] = [fields[0], Number(fields[17])];
  // Killed and not yet waited for: nothing of it will run again. Unless only its first thread ended,
  // or another thread of it becomes a new program just now.
  if ((state === 'Z' || state === 'X') && !(threads > 1)) return 'gone';
  return { birth: digitsOf(fields[19]) };
}

function onDarwin(pid: number): { readonly birth: string } | 'gone' {
  const [state = '', ...started] = orEmpty(() =>
    commandOutput('ps', '-o', 'stat=,lstart=', '-p', String(pid)),
  ).split(/\s+/);
  if (state.startsWith('Z')) return 'gone';
  const atMs = Date.parse(`${started.join(' ')} UTC`);
  return { birth: Number.isNaN(atMs) ? '' : String(atMs / 1_000) };
}

/**
 * Ticks or seconds: `ps` tells whole seconds, and some kernels reckon ticks back from now. No process
 * id comes round again in so short a time.
 */
const TOLERANCE = 2;

/** false only where both are told, and differ by more than the telling does. */
export function sameBirth(one: string, other: string): boolean {
  if (one === other || digitsOf(one) === '' || digitsOf(other) === '') return true;
  return Math.abs(Number(one) - Number(other)) <= TOLERANCE;
}

const digitsOf = (text: string | undefined): string =>
  text !== undefined && /^\d{1,15}$/.test(text) ? text : '';

const fieldsOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
