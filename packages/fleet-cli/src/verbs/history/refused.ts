/**
 * `fleet history --refused`: the work that holds refused, from the receipts in the homes of profiles. It
 * asks no watcher and no gateway.
 * Counting is `count-refused.ts`, the output `refused-text.ts`; the format of receipts is the ledger's.
 */
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import type { Session } from '../../fleet/session.ts';
import { type RefusedOptions, readRefusals } from './count-refused.ts';
import { refusedDocument, refusedLines, refusedNotices } from './refused-text.ts';

export function refusedAnswer(session: Session, options: RefusedOptions): Answer {
  const facts = readRefusals(session, options);
  const { profiles, listing } = session.selection;
  const isListed = profiles !== null || listing.unreadable === undefined;
  return {
    exit: isListed && facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => refusedDocument(facts),
    lines: (view) => refusedLines(facts, view),
    notices: refusedNotices(facts),
  };
}
