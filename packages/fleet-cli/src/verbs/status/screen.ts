/**
 * Repaints a state in place on a terminal. It does not use the alternate screen, so that the last state stays
 * visible after the end.
 */
import { type Delivery, deliver } from '../../cli/deliver.ts';
import { isTerminal } from '../../text/view.ts';

export interface Screen {
  /** `foot`: the last lines, which are shown however small the window is. */
  readonly paint: (lines: readonly string[], foot: readonly string[]) => Delivery;
  readonly close: () => void;
}

const HOME = '\u001b[H';
const CLEAR = '\u001b[2J';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/**
 * Without wrapping, because a wrapped line would take two rows. After a line that fills the row, the
 * cursor stays on its last character, so rows are cleared before they are written.
 */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const DEFAULT_ROWS = 24;

/** Whether stdout is a terminal that can move the cursor. */
export const canRepaint = (): boolean => isTerminal() && process.env['TERM'] !== 'dumb';

export function openScreen(): Screen {
  // Node's stream is created now, so that it follows changes of the window size.
  const { stdout } = process;
  let isFirst = true;
  return {
    paint(lines, foot) {
      const shown = fitted(lines, foot, stdout.rows || DEFAULT_ROWS);
      const frame = shown.map((line, at) =>
        at < shown.length - 1 ? `${CLEAR_LINE}${line}\n` : `${CLEAR_BELOW}${line}`,
      );
      const begin = isFirst ? CLEAR : '';
      isFirst = false;
      return deliver(1, `${NO_WRAP}${begin}${HOME}${frame.join('')}${WRAP}`);
    },
    close: () => void deliver(1, '\n'),
  };
}

/** The first lines, which have the summary, and a note about the lines that do not fit. */
function fitted(
  lines: readonly string[],
  foot: readonly string[],
  rows: number,
): readonly string[] {
  const end = 'watching; Ctrl-C ends';
  // 3: the end line, and the empty lines above it and above the foot.
  if (lines.length + foot.length + 3 <= rows) return [...lines, '', ...foot, '', end];
  const kept = lines.slice(0, Math.max(1, rows - 1 - foot.length));
  const missing = lines.length - kept.length;
  const more = `... ${missing} more: a taller window or --only paused; ${end}`;
  // One row too many would scroll the summary out of view.
  return [...kept, ...foot, more].slice(0, rows);
}
