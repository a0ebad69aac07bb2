/**
 * Decodes bytes to text: UTF-8 with or without a byte order mark, without forbidden characters.
 * Line ends stay unchanged: YAML accepts CRLF.
 */
import { isUtf8 } from 'node:buffer';
import { type Complaint, complaintAt, shown } from '../problem.ts';

export type Decoded =
  | { readonly text: string }
  | {
      /** The text before the offending place, for counting its line. */
      readonly text: string;
      readonly complaint: Complaint;
    };

const OTHER_MARKS: readonly (readonly [name: string, mark: readonly number[]])[] = [
  // Before UTF-16: its mark is a prefix of this one.
  ['UTF-32 (little-endian)', [0xff, 0xfe, 0, 0]],
  ['UTF-32 (big-endian)', [0, 0, 0xfe, 0xff]],
  ['UTF-16 (little-endian)', [0xff, 0xfe]],
  ['UTF-16 (big-endian)', [0xfe, 0xff]],
];

/** Positions of zero bytes in a first ASCII character, for files without a mark. */
const ZEROES: readonly (readonly [name: string, zero: readonly boolean[]])[] = [
  ['UTF-32 (big-endian)', [true, true, true, false]],
  ['UTF-32 (little-endian)', [false, true, true, true]],
  ['UTF-16 (big-endian)', [true, false]],
  ['UTF-16 (little-endian)', [false, true]],
];

export function decode(bytes: Uint8Array): Decoded {
  const other = otherEncoding(bytes);
  if (other !== undefined) return notUtf8('', `the file is in ${other}`);
  if (!isUtf8(bytes)) {
    const text = validStart(bytes);
    const byte = bytes[Buffer.byteLength(text)] ?? 0;
    const message = `the byte \`0x${byte.toString(16)}\` is not valid UTF-8`;
    return notUtf8(text.replace(MARK, ''), message);
  }
  // Decoding removes one mark.
  const text = new TextDecoder('utf-8').decode(bytes);
  const offset = text.search(FORBIDDEN);
  if (offset === -1) return { text };
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  const message =
    character === '\r'
      ? 'a carriage return without a line feed'
      : `the character ${shown(character)} is not allowed in settings`;
  return { text, complaint: complaintAt(offset, 'character', message, { hint: 'remove it' }) };
}

const MARK = /^\ufeff/;

/**
 * Characters that YAML does not allow, byte order marks inside the text, and line ends that only some
 * editors and YAML parsers recognize: line numbers must be the same for everybody.
 */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)/u;

function otherEncoding(bytes: Uint8Array): string | undefined {
  const marked = OTHER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  const [name] =
    marked ??
    ZEROES.find(([, zeroes]) => zeroes.every((zero, at) => (bytes[at] === 0) === zero)) ??
    [];
  return bytes.length < 2 ? undefined : name;
}

/** The text before the first byte that is not UTF-8, including a byte order mark. */
function validStart(bytes: Uint8Array): string {
  let good = 0;
  let bad = bytes.length;
  // Every prefix of valid text is valid, apart from a cut last character: use binary search.
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (begins(bytes.subarray(0, middle)) === null) bad = middle;
    else good = middle;
  }
  return begins(bytes.subarray(0, good)) ?? '';
}

function begins(bytes: Uint8Array): string | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function notUtf8(text: string, message: string): Decoded {
  const advice = { expected: 'UTF-8', hint: 'save the file as UTF-8' };
  return { text, complaint: complaintAt(text.length, 'encoding', message, advice) };
}
