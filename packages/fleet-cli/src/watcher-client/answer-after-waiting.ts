/**
 * The answer of a verb that has changed something and then waits for gateways. It prints the change before it
 * waits, so that an operator sees it at once, also when the wait is interrupted.
 */
import type { Answer } from '../cli/answer.ts';
import { deliver } from '../cli/deliver.ts';
import { EXIT } from '../cli/exit-codes.ts';
import type { GlobalOptions, Session } from '../fleet/session.ts';
import type { Json } from '../text/json.ts';
import { viewOf } from '../text/view.ts';
import type { AckSnapshot } from './ack-snapshot.ts';
import { awaitAcknowledged, type WaitReport } from './await-acknowledged.ts';
import type { Goal } from './goal.ts';
import { waitJson } from './wait-json.ts';
import { exitOfWait, signalOf } from './wait-outcome.ts';
import {
  type Awaiting,
  unreachedNotice,
  waitingNotice,
  waitLines,
  waitNotices,
} from './wait-text.ts';

export interface WaitRequest {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly awaiting: Awaiting;
  /** null: nothing was changed. */
  readonly goal: Goal | null;
  readonly timeoutMs: number;
  /** The answer without waiting. */
  readonly done: Answer;
  readonly document: (wait: Json) => ReturnType<Answer['document']>;
}

export async function answerAfterWaiting(request: WaitRequest): Promise<Answer> {
  const { session, options, awaiting, goal, timeoutMs, done, document } = request;
  const { json, quiet, color = 'auto' } = options;
  if (!json) {
    const view = viewOf(color, session.nowMs);
    deliver(1, textOf(quiet ? (done.quietLines?.() ?? []) : done.lines(view)));
  }
  deliver(2, textOf(done.notices));
  const unreached = (why: string, absent: boolean): void => {
    deliver(2, textOf([unreachedNotice(why, absent, timeoutMs)]));
  };
  const stillWaiting = (snapshot: AckSnapshot): void => {
    deliver(2, textOf([waitingNotice(snapshot)]));
  };
  const { listing } = session.selection;
  const root = session.root.root;
  const unlisted = listing.unreadable ?? null;
  const report =
    goal === null
      ? nobodyMeant(timeoutMs)
      : await awaitAcknowledged({ root, goal, timeoutMs, unlisted, unreached, stillWaiting });
  const signal = signalOf(report);
  return {
    // A failure of the verb itself outranks missing acknowledgements.
    exit: done.exit === EXIT.done || signal !== null ? exitOfWait(report) : done.exit,
    ...(signal === null ? {} : { endsBy: signal }),
    document: () => document(waitJson(report)),
    lines: (view) => waitLines(report, awaiting, view),
    notices: waitNotices(report, awaiting),
  };
}

const nobodyMeant = (timeoutMs: number): WaitReport => ({
  end: 'deserted',
  undone: [],
  snapshot: null,
  epoch: null,
  unreached: null,
  waitedMs: 0,
  timeoutMs,
});

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
