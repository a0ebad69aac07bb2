/**
 * What is wrong with a settings file: what, where, what was expected, and what to do now.
 * Which of it ends a command, and how a terminal shows it, is for the caller.
 */
import type { Position } from './position.ts';

export type ProblemCode =
  /** The file itself. `unreadable` carries the errno. */
  | 'unreadable'
  | 'not-a-file'
  | 'dangling-link'
  | 'too-large'
  /** Its bytes. */
  | 'encoding'
  | 'character'
  /** Its YAML. `not-plain`: an anchor, an alias or a tag. */
  | 'syntax'
  | 'tab'
  | 'directive'
  | 'many-documents'
  | 'not-plain'
  | 'too-deep'
  | 'duplicate-key'
  | 'ambiguous-text'
  /** What it says. */
  | 'unknown-version'
  | 'unknown-key'
  | 'missing-key'
  | 'invalid-value';

export interface Problem {
  readonly code: ProblemCode;
  readonly file: string;
  /** Both count from 1, as editors do; null where the file as a whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  /** Dotted path as it stands in the file, such as `watcher.webhooks[0].url`; '' for all of it. */
  readonly key: string;
  readonly message: string;
  readonly expected: string | null;
  readonly hint: string | null;
  /** Only with `unreadable`. */
  readonly errno?: string;
}

/** A problem whose place is an offset into the text, before lines have been counted. */
export interface Complaint {
  readonly code: ProblemCode;
  readonly offset: number;
  readonly key: string;
  readonly message: string;
  readonly expected: string | null;
  readonly hint: string | null;
}

/** A complaint about YAML itself, before it is known which key is meant. */
export const complaintAt = (
  offset: number,
  code: ProblemCode,
  message: string,
  { expected = null, hint = null }: { expected?: string | null; hint?: string | null } = {},
): Complaint => ({ code, offset, key: '', message, expected, hint });

export function problemAt(file: string, place: Position, complaint: Complaint): Problem {
  const { offset: _, ...rest } = complaint;
  return { ...rest, file, ...place };
}

/** One line for people: `file:line:column: message; expected … (hint)`, safe to look at. */
export function describeProblem(problem: Problem): string {
  const { file, line, column, message, expected, hint } = problem;
  const place = line === null ? file : `${file}:${line}:${column}`;
  const wanted = expected === null ? '' : `; expected ${expected}`;
  return `${visible(place)}: ${message}${wanted}${hint === null ? '' : ` (${hint})`}`;
}

/** Longer is not read, and a file may hold a value of 256 KiB. */
const MAX_SHOWN = 60;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text out of a file in backticks: cut, and with nothing in it that a terminal would obey. */
export function shown(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)];
  const cut = characters.length > MAX_SHOWN;
  return `\`${visible(characters.slice(0, MAX_SHOWN).join(''))}${cut ? '…' : ''}\``;
}

/** Some of it is not seen as itself: controls, bidi marks, characters of no width. */
export const hidesSomething = (text: string): boolean => text.search(HIDDEN) !== -1;

/** Such characters written as `\u{…}`. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
