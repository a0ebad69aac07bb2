/**
 * A window that `npx` started: a signal to npx need not reach it, and a KILL never does. It goes on then,
 * as its command does, and that must not be in silence.
 */
import { readFileSync } from 'node:fs';
import { report } from './hold-while.ts';

/** Milliseconds. Whoever killed npx is still looking. */
const LOOK_MS = 1_000;
/** npx runs a command by a shell, which outlives it. */
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox']);

export const STARTED_BY_NPX: readonly string[] = [
  'started by npx: what kills npx alone does not end this window;',
  '  install the command, and run `fleet window` itself',
];

/** npm sets this for everything below `npx` and `npm exec`. */
export const isStartedByNpx = (): boolean => process.env.npm_command === 'exec';

/** Says once that npx has ended, should it. Returns what ends the looking. */
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

/** Whoever dies gives its children to another parent. */
function ancestors(): string {
  const { ppid } = process;
  const parent = processOf(ppid);
  return parent !== null && SHELLS.has(parent.name) ? `${ppid} ${parent.ppid}` : `${ppid}`;
}

/** null: it has gone, or this platform has no such file. */
function processOf(pid: number): { name: string; ppid: string } | null {
  try {
    const [, name = '', ppid = ''] =
      /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, ppid };
  } catch {
    return null;
  }
}
