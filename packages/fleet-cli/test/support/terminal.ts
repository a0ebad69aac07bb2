/**
 * The built `fleet` command on a real terminal, and what somebody who looks at it sees.
 * How the terminal is made is `on-a-terminal.py`.
 */
import { fileURLToPath } from 'node:url';
import { LAUNCHER } from './fleet.ts';
import { type Live, startProcess, until } from './live.ts';

const SCRIPT = fileURLToPath(new URL('on-a-terminal.py', import.meta.url));

export interface Terminal extends Live {
  /** The lines that are seen now, without space at their ends. */
  screen(): string[];
  /** Waits until what is seen as a whole matches. */
  shows(pattern: RegExp): Promise<void>;
  press(key: string): void;
  resize(rows: number, columns: number): void;
}

interface Size {
  readonly rows: number;
  readonly columns: number;
}

export function startInTerminal(
  words: readonly string[],
  { rows, columns }: Size = { rows: 24, columns: 80 },
  env: Readonly<Record<string, string>> = { TERM: 'xterm' },
): Terminal {
  const args = [SCRIPT, String(rows), String(columns), process.execPath, LAUNCHER, ...words];
  const live = startProcess('python3', args, { env });
  let size: Size = { rows, columns };
  const screen = () => screenAfter(live.stdout(), size);
  return {
    ...live,
    screen,
    shows: (pattern) => until(() => pattern.test(screen().join('\n'))),
    press: (key) => live.write(`press ${Buffer.from(key).toString('hex')}\n`),
    resize(newRows, newColumns) {
      size = { rows: newRows, columns: newColumns };
      live.write(`resize ${newRows} ${newColumns}\n`);
    },
  };
}

/** A command to the terminal, or a character; of a command that has not arrived whole, nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told by control characters
const TOKEN = /\x1b\[([?\d;]*)([A-Za-z])|\x1b(?:\[[?\d;]*)?$|[\s\S]/gu;

/** Draws what was sent. Throws for commands that it does not know: no others may be sent. */
function screenAfter(sent: string, { rows, columns }: Size): string[] {
  let lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const current = (): string[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  const cutLine = (): void => {
    const line = current();
    line.length = Math.min(column, line.length);
  };
  const nextRow = (): void => {
    row += 1;
    if (row < rows) return;
    lines = lines.slice(1);
    row -= 1;
  };
  const obey = (command: string): void => {
    if (command === 'H') [row, column] = [0, 0];
    else if (/^\d+A$/.test(command)) row = Math.max(0, row - Number.parseInt(command, 10));
    else if (command === '2J') lines = [[]];
    else if (command === 'K') cutLine();
    else if (command === 'J') {
      cutLine();
      lines.length = row + 1;
    } else if (!/^(?:\?7[lh]|\d+m)$/.test(command)) {
      throw new Error(`unexpected command ${command}`);
    }
  };
  for (const [token, parameters = '', command] of sent.matchAll(TOKEN)) {
    if (command !== undefined) obey(parameters + command);
    else if (token === '\r') column = 0;
    else if (token === '\n') nextRow();
    else if (!token.startsWith('\u001b')) {
      // Not wrapped: at the edge the cursor stays on the last cell, which is written over, or cleared.
      current()[column] = token;
      column = Math.min(column + 1, columns - 1);
    }
  }
  current();
  return lines.map((cells) =>
    Array.from(cells, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}
