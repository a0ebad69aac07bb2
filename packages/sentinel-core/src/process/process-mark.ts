/**
 * Identifies a process in a record: its id, its time of birth, and where these are valid.
 * Whether it still lives is `fate.ts`.
 */
import { readFileSync } from 'node:fs';
import { failureOf } from '../files/errno.ts';
import { commandOutput, here, orEmpty, type Place } from './place.ts';

export interface ProcessMark {
  readonly pid: number;
  /**
   * Digits: clock ticks since boot (Linux) or seconds since 1970 (macOS); '' if unknown. Compare with
   * `sameBirth`.
   */
  readonly birth: string;
  readonly place: Place;
}

/** The mark of a process. Default: this process. null if it does not exist or is a zombie. */
export function markOf(pid: number = process.pid): ProcessMark | null {
  const current = processAt(pid);
  return current === 'gone' ? null : { pid, birth: current.birth, place: here() };
}

/** Parses a mark from an untrusted record; null if it names no process. */
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

/** A process of our own id namespace: gone, or alive since `birth` ('' if unknown). */
export function processAt(pid: number): { readonly birth: string } | 'gone' {
  if (isFree(pid)) return 'gone';
  return process.platform === 'darwin' ? onDarwin(pid) : onLinux(pid);
}

/** true: no process has this id, not even a zombie. */
export const isFree = (pid: number): boolean =>
  // EPERM: the process exists and belongs to another user.
  failureOf(() => process.kill(pid, 0)) === 'ESRCH';

function onLinux(pid: number): { readonly birth: string } | 'gone' {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses can contain anything. After it: state 1st, threads 18th, birth 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads] = [fields[0], Number(fields[17])];
  // A zombie never runs again, unless only its first thread ended or another thread is in `exec`.
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
 * Ticks or seconds: `ps` reports whole seconds, and some kernels compute ticks back from now. No process
 * id is reused within so short a time.
 */
const TOLERANCE = 2;

/** false only if both are known and differ by more than the measurement error. */
export function sameBirth(one: string, other: string): boolean {
  if (one === other || digitsOf(one) === '' || digitsOf(other) === '') return true;
  return Math.abs(Number(one) - Number(other)) <= TOLERANCE;
}

const digitsOf = (text: string | undefined): string =>
  text !== undefined && /^\d{1,15}$/.test(text) ? text : '';

const fieldsOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
