/**
 * What a verb hands back: the same facts as a document for machines and as lines for people.
 * Writing them out is `main.ts`.
 */
import type { Json } from '../text/json.ts';
import type { View } from '../text/view.ts';

export interface Answer {
  /** One of fleet's own (`cli/exit-codes.ts`), or the status of a command that a verb wraps. */
  readonly exit: number;
  /** The signal that this process ends by, so that whoever waits for it sees that it was interrupted. */
  readonly endsBy?: NodeJS.Signals;
  /** With `schema` first; keys are documented in docs/json.md. Composed only where asked for. */
  readonly document: () => { readonly [key: string]: Json };
  /** Lines for stdout. */
  readonly lines: (view: View) => readonly string[];
  /** For stdout with `--quiet`, where there is something that a script needs. */
  readonly quietLines?: () => readonly string[];
  /** An answer in a format of its own, in place of lines and document: all of what goes to stdout. */
  readonly text?: () => string;
  /** Lines for stderr: what did not go as asked, and what must not be overlooked. */
  readonly notices: readonly string[];
}

/** Of a verb that wrote all of its output itself, or left it to what it ran. */
export const writtenAnswer = (exit: number, notices: readonly string[] = []): Answer => ({
  exit,
  document: () => ({}),
  lines: () => [],
  text: () => '',
  notices,
});
