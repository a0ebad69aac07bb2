/**
 * How text is shown to its reader: colours, width, and the current time.
 */
import { fstatSync, statSync } from 'node:fs';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
export type ColorChoice = 'auto' | 'always' | 'never';

export interface View {
  readonly paint: (style: Style, text: string) => string;
  /** Characters that fit in a line; Infinity: the output is not a terminal, so nothing is cut. */
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

// Own codes: util.styleText needs a stream, and creating Node's stdout stream slows down every start.
const CODES: Record<Style, readonly [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};
/** The width of a terminal that does not report one. */
const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 40;

export function viewOf(color: ColorChoice, nowMs: number): View {
  const terminal = isTerminal();
  const { NO_COLOR, TERM, COLUMNS } = process.env;
  const wanted = terminal && !NO_COLOR && TERM !== 'dumb';
  const coloured = color === 'auto' ? wanted : color === 'always';
  return {
    paint: coloured ? paint : (_style, text) => text,
    columns: Math.max(MIN_COLUMNS, widthOf(terminal, COLUMNS)),
    nowMs,
  };
}

/** Node's `tty` module loads networking code, so it is loaded only if stdout may be a terminal. */
export function isTerminal(): boolean {
  try {
    const stdout = fstatSync(1);
    if (!stdout.isCharacterDevice() || stdout.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(1);
}

function widthOf(terminal: boolean, fromEnvironment: string | undefined): number {
  if (fromEnvironment !== undefined && /^[1-9]\d{0,4}$/.test(fromEnvironment)) {
    return Number(fromEnvironment);
  }
  // Text that is cut in a file or a pipe is lost.
  if (!terminal) return Number.POSITIVE_INFINITY;
  return process.stdout.columns || DEFAULT_COLUMNS;
}

function paint(style: Style, text: string): string {
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
