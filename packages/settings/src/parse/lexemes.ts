/**
 * The words and signs of a YAML text, refused where one of them could mean something else to
 * another reader, or where they are too many.
 * How they fit together is `compose.ts`.
 */
import { CST, Lexer } from 'yaml';
import { type Complaint, complaintAt, shown } from '../problem.ts';

export type Lexed =
  | { readonly lexemes: readonly string[]; readonly lastQuote: number }
  | { readonly complaint: Complaint };

/**
 * Escapes included; a line has about eight. Whoever may write a profile must not be able to keep a
 * pause waiting: up to here the slowest texts that were found cost a quarter of a second, and in
 * 256 KiB ten.
 */
const MAX_LEXEMES = 20_000;

/** Lexemes that say what comes next, and stand for no text of their own. */
const MARKS: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

/** `lastQuote` is the offset of the last quoted text, and -1 where there is none. */
export function lex(text: string): Lexed {
  const lexemes: string[] = [];
  let offset = 0;
  let lastQuote = -1;
  let escapes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    // What follows this mark is a text, whatever it looks like.
    const isScalar = lexemes.at(-1) === CST.SCALAR;
    const complaint = isScalar ? null : complaintOf(lexeme, offset);
    if (complaint !== null) return { complaint };
    if (lexeme.startsWith('"')) escapes += lexeme.split('\\').length - 1;
    if (lexemes.length + escapes >= MAX_LEXEMES) {
      return { complaint: complaintAt(offset, 'too-large', 'more than settings can need') };
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
      return complaintAt(offset, 'directive', 'a directive changes what the rest means', {
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
  complaintAt(offset, 'not-plain', `${what} is not read here`, {
    hint: 'write the value out; a text that begins with `&`, `*` or `!` goes in quotes',
  });
