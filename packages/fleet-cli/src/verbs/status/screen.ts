/**
 * Paints one state over the last on a terminal, without its alternate screen, so that the last one
 * stays to be read when the watching ends.
 */
import { type Delivery, deliver } from '../../cli/deliver.ts';
import { isTerminal } from '../../text/view.ts';

export interface Screen {
  /** `foot`: the last of them, which are kept however small the window is. */
  readonly paint: (lines: readonly string[], foot: readonly string[]) => Delivery;
  readonly close: () => void;
}

const HOME = '\u001b[H';
const CLEAR = '\u001b[2J';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/**
 * Lines that are wider than the window are cut by the terminal: a wrapped one would take two rows. After
 * one that fills it, the cursor stands on its last character, so rows are cleared before they are written.
 */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const DEFAULT_ROWS = 24;

/** A terminal that can be told where to write. */
export const canRepaint = (): boolean => isTerminal() && process.env['TERM'] !== 'dumb';

export function openScreen(): Screen {
  // Made now, so that it has heard of a new size before anybody asks.
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

/** The beginning, which sums up the rest, and what to do about what is missing. */
function fitted(
  lines: readonly string[],
  foot: readonly string[],
  rows: number,
): readonly string[] {
  const end = 'watching; Ctrl-C ends';
  // Rows for the end, and for the space above it and above the foot.
  if (lines.length + foot.length + 3 <= rows) return [...lines, '', ...foot, '', end];
  const kept = lines.slice(0, Math.max(1, rows - 1 - foot.length));
  const missing = lines.length - kept.length;
  const more = `... ${missing} more: a taller window or --only paused; ${end}`;
  // A row too many would push the sum out of sight.
  return [...kept, ...foot, more].slice(0, rows);
}
