/**
 * Who is named, and to whom. TCP loopback is open to every user of the host, and receipts name
 * principals, the register conversations: so names are told on our own socket, and to who has the
 * token. Counts, doors, times and ids of holds are told to everybody.
 * Whether a request has the token is `token.ts`.
 */
import type { RefusalsDocument } from './refusals.ts';
import type { WorkInHand } from './work.ts';

/** `withheld`: a name that is null may be known all the same. */
export type PeopleAccess = 'told' | 'withheld';

export const redactRefusals = (
  people: PeopleAccess,
  document: RefusalsDocument,
): RefusalsDocument & { readonly people: PeopleAccess } => ({
  ...document,
  people,
  refusals: document.refusals.map((receipt) =>
    people === 'told' ? receipt : { ...receipt, principal: null },
  ),
});

/** Ids are withheld too: they are of conversations. */
export const redactWork = (
  people: PeopleAccess,
  work: WorkInHand,
): WorkInHand & { readonly people: PeopleAccess } => ({
  ...work,
  people,
  newest: work.newest.map((record) =>
    people === 'told' ? record : { ...record, principal: null, id: null },
  ),
});
