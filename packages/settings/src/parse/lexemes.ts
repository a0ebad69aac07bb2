/**
 * Splits a YAML text into lexemes, and rejects those that other parsers could read differently, and texts
 * with too many lexemes.
 * Parsing them is `compose.ts`, which takes these lexemes: no text is split twice. It prevents that the writer
 * of one profile delays every pause: parsing 256 KiB of short words took ten seconds.
 */
import { CST, Lexer } from 'yaml';
import { type Complaint, complaintAt, shown } from '../problem.ts';

export type Lexed =
  | { readonly lexemes: readonly string[]; readonly lastQuote: number }
  | { readonly complaint: Complaint };

/** Escapes included; a line has about eight. Within this limit the slowest known text takes a quarter of a second. */
const MAX_LEXEMES = 20_000;

/** Control lexemes, which stand for no text of their own. */
const MARKS: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

/** Splits a text. `lastQuote` is the offset of the last quoted text, or -1 if there is none. */
export function lex(text: string): Lexed {
  const lexemes: string[] = [];
  let offset = 0;
  let lastQuote = -1;
  let escapes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    // The lexeme after this mark is a scalar, whatever it looks like.
    const isScalar = lexemes.at(-1) === CST.SCALAR;
    const complaint = isScalar ? null : complaintOf(lexeme, offset);
    if (complaint !== null) return { complaint };
    if (lexeme.startsWith('"')) escapes += lexeme.split('\\').length - 1;
    if (lexemes.length + escapes >= MAX_LEXEMES) {
      return {
        complaint: complaintAt(offset, 'too-large', 'more words and signs than settings need'),
      };
    }
    if (!isScalar && /^["']/.test(lexeme)) lastQuote = offset;
    lexemes.push(lexeme);
    if (!MARKS.includes(lexeme)) offset += lexeme.length;
  }
  return { lexemes, lastQuote };
}

function complaintOf(lexeme: string, offset: number): Complaint | null {
  switch (CST.tokenType(lexeme)) {
    case 'directive-line':
      // `%YAML 1.1` would turn `no` into false.
      return complaintAt(offset, 'directive', 'directives are not supported', {
        hint: 'remove this line',
      });
    case 'anchor':
      return notPlain(offset, `the anchor ${shown(lexeme)}`);
    case 'alias':
      return notPlain(offset, `the alias ${shown(lexeme)}`);
    case 'tag':
      return notPlain(offset, `the tag ${shown(lexeme)}`);
    default:
      return null;
  }
}

const notPlain = (offset: number, what: string): Complaint =>
  complaintAt(offset, 'not-plain', `${what} is not supported`, {
    hint: 'write the value out; a text that begins with `&`, `*` or `!` goes in quotes',
  });
