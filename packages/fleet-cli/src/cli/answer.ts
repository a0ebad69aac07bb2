/**
 * The result of a verb: the same facts as a JSON document and as lines of text, and the exit status.
 * `main.ts` writes them.
 */
import type { Json } from '../text/json.ts';
import type { View } from '../text/view.ts';

export interface Answer {
  /** An exit code of fleet (`exit-codes.ts`), or the exit status of the wrapped command. */
  readonly exit: number;
  /** The signal by which this process ends, so that its parent sees that it was interrupted. */
  readonly endsBy?: NodeJS.Signals;
  /** `schema` comes first; docs/json.md documents the keys. Called only with `--json`. */
  readonly document: () => { readonly [key: string]: Json };
  /** Lines for stdout. */
  readonly lines: (view: View) => readonly string[];
  /** Lines for stdout with `--quiet`; only verbs with something that scripts need have them. */
  readonly quietLines?: () => readonly string[];
  /** The whole of stdout in another format, instead of lines and document. */
  readonly text?: () => string;
  /** Lines for stderr: failures and warnings. */
  readonly notices: readonly string[];
}

/** The answer of a verb that has already written all of its output, or whose command has. */
export const writtenAnswer = (exit: number, notices: readonly string[] = []): Answer => ({
  exit,
  document: () => ({}),
  lines: () => [],
  text: () => '',
  notices,
});
