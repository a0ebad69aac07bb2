/**
 * `fleet history --refused`: what holds have kept back, from the receipts that gateways leave in the
 * homes of their profiles. No watcher is asked, and no gateway.
 * How that is shown is `verbs/history/refused-text.ts`; a receipt itself is the ledger's.
 */
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import type { Session } from '../../fleet/session.ts';
import { type RefusedOptions, readAll } from './count-refused.ts';
import { refusedDocument, refusedLines, refusedNotices } from './refused-text.ts';

export function refused(session: Session, options: RefusedOptions): Answer {
  const facts = readAll(session, options);
  const { profiles, listing } = session.selection;
  const isListed = profiles !== null || listing.unreadable === undefined;
  return {
    exit: isListed && facts.unreadable.length === 0 ? EXIT.done : EXIT.unreadable,
    document: () => refusedDocument(facts),
    lines: (view) => refusedLines(facts, view),
    notices: refusedNotices(facts),
  };
}
