/**
 * Escapes text from files and arguments for terminals, JSON output and shells.
 * Cutting lines is `table.ts`.
 */
import { jsonText } from '@fleet-estop/sentinel-core';

/**
 * Controls (C0, DEL, C1), format characters (bidi marks and isolates, zero-width ones, tags), line
 * and paragraph separators, lone surrogates, and letters that are drawn as nothing at all.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** The text with every invisible or control character written as `\u{…}`. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}

export const hidesSomething = (text: string): boolean =>
  !PLAIN.test(text) && text.search(HIDDEN) !== -1;

/**
 * A JSON document that is also safe on a terminal. Its line breaks are the only control characters in it,
 * and with an indent of 0 there are none.
 */
export function visibleJson(document: unknown, indent = 2): string {
  const json = jsonText(document, indent);
  return json.replace(HIDDEN, (found) => (found === '\n' ? found : escapeUnits(found)));
}

function escapeUnits(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; at++) {
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

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
