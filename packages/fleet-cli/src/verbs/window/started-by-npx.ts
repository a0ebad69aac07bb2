/**
 * Warns about a window that `npx` started: a signal to npx may not reach it, and SIGKILL never does. The
 * window and its command then go on, which must be reported.
 */
import { readFileSync } from 'node:fs';
import { report } from './hold-while.ts';

/** Milliseconds between checks: short, so that the user who killed npx still sees the warning. */
const LOOK_MS = 1_000;
/** npx runs a command through a shell, which outlives npx. */
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox']);

export const STARTED_BY_NPX: readonly string[] = [
  'started by npx: killing npx alone does not end this window;',
  '  install the command, and run `fleet window` itself',
];

/** npm sets this for everything below `npx` and `npm exec`. */
export const isStartedByNpx = (): boolean => process.env.npm_command === 'exec';

/** Prints a warning once if npx ends. Returns a function that stops checking. */
export function noticeEndOfNpx(): () => void {
  const first = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(timer);
    report([
      'warning: npx, which started this window, has ended, and this window goes on with its command:',
      '  its hold stands until the command ends, or somebody lifts it',
      `  install the command, and run \`fleet window\` itself; to end this one: kill ${process.pid}`,
    ]);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Identifies the parent processes. When one of them ends, its children get another parent. */
function ancestors(): string {
  const { ppid } = process;
  const parent = processOf(ppid);
  return parent !== null && SHELLS.has(parent.name) ? `${ppid} ${parent.ppid}` : `${ppid}`;
}

/** null: the process has ended, or this platform has no /proc. */
function processOf(pid: number): { name: string; ppid: string } | null {
  try {
    const [, name = '', ppid = ''] =
      /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, ppid };
  } catch {
    return null;
  }
}
