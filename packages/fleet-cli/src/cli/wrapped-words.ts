/**
 * Splits off the command that a verb wraps: everything after the first `--`.
 * The words before it are the verb's own, and are parsed as for any verb.
 */
import type { FleetError } from '@fleet-estop/sentinel-core';
import { usageError } from './values.ts';

export interface Split {
  readonly own: readonly string[];
  /** null: there is no `--`. */
  readonly wrapped: readonly string[] | null;
}

export function splitWrapped(words: readonly string[]): Split {
  const at = words.indexOf('--');
  if (at === -1) return { own: words, wrapped: null };
  return { own: words.slice(0, at), wrapped: words.slice(at + 1) };
}

/**
 * null: no command was given. Throws for a command that cannot be passed on unchanged, and for `stray`
 * words before the `--`: the user may have forgotten the `--` before the command.
 */
export function readWrapped(
  verb: string,
  words: readonly string[] | null,
  stray: readonly string[],
): readonly string[] | null {
  const [first] = stray;
  if (first !== undefined) {
    const what = words === null ? `\`${first}\` without \`--\`` : `\`${first}\` before \`--\``;
    throw usageError(what, hintOf(verb));
  }
  if (words === null) return null;
  if (words.length === 0) throw usageError('there is no command after `--`', hintOf(verb));
  // Node decodes bytes that are not UTF-8 to this character, so the command would receive other bytes.
  const damaged = words.find((word) => word.includes('\ufffd'));
  if (damaged === undefined) return words;
  throw usageError(
    `\`${damaged}\` is not UTF-8, and would not arrive as it was written`,
    "put the command into a script, and give that script's name",
  );
}

export const missingCommand = (verb: string): FleetError =>
  usageError('no command was given', hintOf(verb));

const hintOf = (verb: string): string => `write the command after \`--\`: fleet ${verb} -- COMMAND`;

/** Refused because the document would mix with the output of the command. */
export function refuseJson({ json }: { readonly json?: true }): void {
  if (!json) return;
  throw usageError('`--json` with a command', 'stdout belongs to the command: leave --json out');
}
