/**
 * Removes names from documents for clients that may not see them. Every user of the host can
 * connect to TCP loopback, while receipts name principals and the register names conversations. So
 * names are only shown on the unix socket and to the token's owner. Counts, doors, times and hold
 * ids are shown to everybody.
 * Checking the token is `token.ts`.
 */
import type { RefusalsDocument, WorkDocument } from '@fleet-estop/protocol';
import type { RefusalsRead } from './refusals.ts';
import type { WorkInHand } from './work.ts';

/** `told`: names are included. `withheld`: they are null, whether or not they are known. */
export type PeopleAccess = WorkDocument['people'];

export const redactRefusals = (people: PeopleAccess, document: RefusalsRead): RefusalsDocument => ({
  ...document,
  people,
  refusals: document.refusals.map((receipt) =>
    people === 'told' ? receipt : { ...receipt, principal: null },
  ),
});

/** Ids are removed too, since they often identify conversations. */
export const redactWork = (people: PeopleAccess, work: WorkInHand): WorkDocument => ({
  ...work,
  people,
  newest: work.newest.map((record) =>
    people === 'told' ? record : { ...record, principal: null, id: null, conversation: null },
  ),
});
