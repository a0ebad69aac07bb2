/**
 * Parses a text to the nodes of its one YAML document, or to its first problem: most others are only
 * consequences of it.
 * Reading values from the nodes is `document.ts`.
 */
import { visible } from '@fleet-estop/sentinel-core';
import { Composer, type CST, type Node, Parser, type YAMLParseError } from 'yaml';
import { type Complaint, complaintAt } from '../problem.ts';
import { tooDeepIn } from './depth.ts';
import { lex } from './lexemes.ts';

export type Composed = { readonly contents: Node | null } | { readonly complaint: Complaint };

/** Tabs in the indentation are rejected: editors disagree on their width. */
const TAB_INDENT = /^ *(?=\t[ \t]*[^\s#])/m;

/** Characters; longer messages of the YAML package quote the file. */
const MAX_MESSAGE = 120;

export function compose(text: string): Composed {
  const tab = TAB_INDENT.exec(text);
  if (tab !== null) return { complaint: tabAt(tab.index + tab[0].length) };
  const lexed = lex(text);
  if ('complaint' in lexed) return lexed;

  const tokens = [...tokensOf(lexed.lexemes)];
  const deep = tooDeepIn(tokens);
  if (deep !== null)
    return { complaint: complaintAt(deep.offset, 'too-deep', 'nested too deeply') };
  // `document.ts` detects duplicate keys by their text. The package compares values: `1` and `1.0`
  // would be one key, `1` and `'1'` two.
  const composer = new Composer({ uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  const errors = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const [error] = errors.sort((a, b) => a.pos[0] - b.pos[0]);
  if (error !== undefined) return { complaint: complaintOf(error, lexed.lastQuote) };
  if (second !== undefined) {
    const hint = 'keep one, and no `---` after it';
    const message = 'a second YAML document begins here';
    return { complaint: complaintAt(second.range[0], 'many-documents', message, { hint }) };
  }
  return { contents: document?.contents ?? null };
}

function* tokensOf(lexemes: readonly string[]): Generator<CST.Token, void> {
  const parser = new Parser();
  for (const lexeme of lexemes) yield* parser.next(lexeme);
  yield* parser.end();
}

function complaintOf({ code, message, pos: [offset] }: YAMLParseError, lastQuote: number) {
  switch (code) {
    case 'TAB_AS_INDENT':
      return tabAt(offset);
    case 'BLOCK_AS_IMPLICIT_KEY':
      return complaintAt(offset, 'syntax', 'a value with a key in it', {
        hint: 'quote a value that contains `: `, or indent this line as its neighbours are',
      });
    case 'MISSING_CHAR':
      // The package reports the end of the file; the opening quote is more useful.
      if (/quote$/.test(message))
        return complaintAt(lastQuote, 'syntax', 'this quote is not closed');
      break;
    default:
  }
  // The package's message can contain text from the file.
  const words = visible(message.slice(0, MAX_MESSAGE));
  return complaintAt(offset, 'syntax', words.charAt(0).toLowerCase() + words.slice(1));
}

const tabAt = (offset: number): Complaint =>
  complaintAt(offset, 'tab', 'a tab in the indentation', { hint: 'indent with spaces' });
