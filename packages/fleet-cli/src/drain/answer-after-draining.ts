/**
 * The answer of a verb that has paused, or found everything paused, and then waits until it is drained. It
 * prints the pause before it waits, so that an operator sees it at once.
 */
import type { Answer } from '../cli/answer.ts';
import { deliver } from '../cli/deliver.ts';
import { EXIT } from '../cli/exit-codes.ts';
import type { GlobalOptions, Session } from '../fleet/session.ts';
import type { Json } from '../text/json.ts';
import { span } from '../text/time.ts';
import { viewOf } from '../text/view.ts';
import { noWatcherText } from '../watcher-client/gateways-text.ts';
import { awaitDrained } from './await-drained.ts';
import { drainingOf } from './draining.ts';
import { drainJson } from './json.ts';
import { exitOfDrain, signalOf } from './outcome.ts';
import { progressOf } from './progress.ts';
import { drainLines, drainNotices } from './text.ts';

export interface DrainRequest {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly timeoutMs: number;
  readonly excludesWedged: boolean;
  /** The answer without waiting. */
  readonly done: Answer;
  readonly document: (drain: Json) => ReturnType<Answer['document']>;
}

export async function answerAfterDraining(request: DrainRequest): Promise<Answer> {
  const { session, options, timeoutMs, excludesWedged, done, document } = request;
  const { json, quiet, color = 'auto' } = options;
  if (!json) {
    const view = viewOf(color, session.nowMs);
    deliver(1, textOf(quiet ? (done.quietLines?.() ?? []) : done.lines(view)));
  }
  deliver(2, textOf(done.notices));
  const progress = progressOf(timeoutMs, quiet === true);
  const report = await awaitDrained({
    root: session.root.root,
    draining: drainingOf(session),
    ...{ timeoutMs, excludesWedged },
    unlisted: session.selection.listing.unreadable ?? null,
    unreached: (why, absent) =>
      progress.say(
        `gateways cannot be asked: ${noWatcherText({ why, absent })}; trying for ${span(timeoutMs)}`,
      ),
    looked: progress.show,
  });
  progress.close();
  const signal = signalOf(report);
  return {
    // A failure of the verb itself outranks what is left.
    exit: done.exit === EXIT.done || signal !== null ? exitOfDrain(report) : done.exit,
    ...(signal === null ? {} : { endsBy: signal }),
    document: () => document(drainJson(report)),
    lines: (view) => drainLines(report, { ...view, nowMs: Date.now() }),
    notices: drainNotices(report),
  };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
