/**
 * Describes a problem in a settings file: what, where, what was expected, and what to do.
 * Whether it ends a command, and how it is displayed, is decided by the caller.
 */
import { visible } from '@fleet-estop/sentinel-core';
import type { Position } from './position.ts';

export type ProblemCode =
  /** Problems of the file itself. `unreadable` has an errno. */
  | 'unreadable'
  | 'not-a-file'
  | 'dangling-link'
  | 'too-large'
  /** Problems of its bytes. */
  | 'encoding'
  | 'character'
  /** Problems of its YAML. `not-plain`: an anchor, an alias or a tag. */
  | 'syntax'
  | 'tab'
  | 'directive'
  | 'many-documents'
  | 'not-plain'
  | 'too-deep'
  | 'duplicate-key'
  | 'ambiguous-text'
  /** Problems of its content. */
  | 'unknown-version'
  | 'unknown-key'
  | 'missing-key'
  | 'invalid-value';

export interface Problem {
  readonly code: ProblemCode;
  readonly file: string;
  /** Counted from 1, as in editors; both null if the file as a whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  /** Dotted path of the key, such as `watcher.webhooks[0].url`; '' for the whole file. */
  readonly key: string;
  readonly message: string;
  readonly expected: string | null;
  readonly hint: string | null;
  /** Only with `unreadable`. */
  readonly errno?: string;
}

/** A problem at an offset of the text, before it is converted to a line. */
export interface Complaint {
  readonly code: ProblemCode;
  readonly offset: number;
  readonly key: string;
  readonly message: string;
  readonly expected: string | null;
  readonly hint: string | null;
}

/** A complaint about the YAML itself, where no key is known. */
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

/** One line for people, safe for a terminal: `file:line:column: message; expected … (hint)`. */
export function describeProblem(problem: Problem): string {
  const { file, line, column, message, expected, hint } = problem;
  const place = line === null ? file : `${file}:${line}:${column}`;
  const wanted = expected === null ? '' : `; expected ${expected}`;
  return `${visible(place)}: ${message}${wanted}${hint === null ? '' : ` (${hint})`}`;
}

/** Characters of a quoted value; a file can contain a value of 256 KiB. */
const MAX_SHOWN = 60;

/** Text from a file in backticks: cut, with control characters escaped. */
export function shown(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)];
  const cut = characters.length > MAX_SHOWN;
  return `\`${visible(characters.slice(0, MAX_SHOWN).join(''))}${cut ? '…' : ''}\``;
}
