/**
 * Formats a table of aligned columns that fits a width.
 * Cells must already be escaped (`visible.ts`): text is not checked again after it is cut.
 */
import type { Style, View } from './view.ts';

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

export interface Column {
  readonly title: string;
  /** The least width it may shrink to when lines are too long. */
  readonly minWidth?: number;
  /** Text that does not fit is moved to a line of its own below, because it must not be cut. */
  readonly below?: true;
}

const GAP = 2;
const BELOW = '    ';
const CUT_MARK = '...';
const EMPTY: Cell = { text: '' };

/**
 * `narrow`: titles of the columns that may shrink, in the order in which they do. Empty columns are left
 * out.
 */
export function table(
  view: View,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  narrow: readonly string[],
): string[] {
  const used = columns
    .map((column, at) => ({ column, cells: rows.map((row) => row[at] ?? EMPTY) }))
    .filter(({ cells }) => cells.some(({ text }) => text !== ''));
  const widths = used.map(({ column, cells }) =>
    Math.max(widthOf(column.title), ...cells.map(({ text }) => widthOf(text))),
  );
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - view.columns;
  for (const title of narrow) {
    const at = used.findIndex(({ column }) => column.title === title);
    const width = widths[at];
    const minimum = used[at]?.column.minWidth;
    if (excess <= 0 || width === undefined || minimum === undefined) continue;
    const kept = Math.max(Math.min(width, minimum), width - excess);
    excess -= width - kept;
    widths[at] = kept;
  }
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, at) => pad(view, cell, widths[at] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = line(used.map(({ column }) => ({ text: column.title, style: 'dim' as const })));
  const linesOf = (row: number): string[] => {
    const below: string[] = [];
    const cells = used.map(({ column, cells: all }, at) => {
      const cell = all[row] ?? EMPTY;
      if (!column.below || widthOf(cell.text) <= (widths[at] ?? 0)) return cell;
      const room = view.columns - BELOW.length;
      below.push(BELOW + (widthOf(cell.text) > room ? cutTo(cell.text, room) : cell.text));
      return EMPTY;
    });
    return [line(cells), ...below];
  };
  return [head, ...rows.flatMap((_row, at) => linesOf(at))];
}

function pad(view: View, { text, style }: Cell, width: number): string {
  const needed = widthOf(text);
  const cut = needed > width ? cutTo(text, width) : text;
  const shown = style === undefined || cut === '' ? cut : view.paint(style, cut);
  return shown + ' '.repeat(Math.max(0, width - (cut === text ? needed : widthOf(cut))));
}

/** The text cut to the width, with a mark at the end. */
function cutTo(text: string, width: number): string {
  let kept = '';
  let room = width - CUT_MARK.length;
  for (const character of text) {
    room -= widthOfCharacter(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept}${CUT_MARK}`;
}

/** How many terminal columns the text takes. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

// East Asian wide and emoji blocks, approximately: one column too many only widens a gap.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function widthOfCharacter(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
