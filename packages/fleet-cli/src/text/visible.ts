/**
 * Escapes text from files and arguments for terminals, JSON output and shells.
 * Cutting lines is `table.ts`.
 */
import {
  visibleJson as escapeHidden,
  hidesSomething,
  jsonText,
  visible,
} from '@fleet-estop/sentinel-core';

export { hidesSomething, visible };

/**
 * A JSON document that is also safe on a terminal. With an indent of 0 it is one line.
 */
export const visibleJson = (document: unknown, indent = 2): string =>
  escapeHidden(jsonText(document, indent));

/** A word quoted for a shell: unchanged, in single quotes, or as `$'…'` if it has invisible characters. */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,=-]*$/.test(text)) return text;
  if (!hidesSomething(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${bytes.join('')}'`;
}

/** An option with its value; `--flag=value` where the value looks like an option. */
export const shellOption = (flag: string, value: string): string =>
  value.startsWith('-') ? `${flag}=${shellWord(value)}` : `${flag} ${shellWord(value)}`;

/** Whether a text can be passed to a process as an argument without changing. */
export const canBeArgument = (text: string): boolean =>
  text !== '' && !text.includes('\0') && !/\p{Cs}/u.test(text);
