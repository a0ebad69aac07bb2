/**
 * Makes text from files and arguments harmless to a terminal and to a shell.
 * Where a line breaks or is cut is `table.ts`.
 */
import { jsonText } from '@fleet-estop/sentinel-core';

/**
 * Controls (C0, DEL, C1), format characters (bidi marks and isolates, zero-width ones, tags), line
 * and paragraph separators, lone surrogates, and letters that are drawn as nothing at all.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** The text with every character that is not seen as itself written as `\u{…}`. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}

export const hidesSomething = (text: string): boolean =>
  !PLAIN.test(text) && text.search(HIDDEN) !== -1;

/**
 * One JSON document that is also safe to look at. JSON's own line breaks are the only controls left,
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

/** A word for a shell: as it is, in single quotes, or as `$'…'` where it would not be seen as itself. */
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

/** An option with its value, so that a value which looks like an option is still taken as a value. */
export const shellOption = (flag: string, value: string): string =>
  value.startsWith('-') ? `${flag}=${shellWord(value)}` : `${flag} ${shellWord(value)}`;

/** Whether a text can be handed to a process as an argument and arrive as itself. */
export const canBeArgument = (text: string): boolean =>
  text !== '' && !text.includes('\0') && !/\p{Cs}/u.test(text);
