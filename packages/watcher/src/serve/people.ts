/**
 * Who is named, and to whom. TCP loopback is open to every user of the host, and receipts name
 * principals, the register conversations: so names are told on our own socket, and to who has the
 * token. Counts, doors, times and ids of holds are told to everybody.
 * Whether a request has the token is `token.ts`.
 */
import type { RefusalsDocument } from './refusals.ts';
import type { WorkInHand } from './work.ts';

/** `withheld`: a name that is null may be known all the same. */
export type People = 'told' | 'withheld';

export const refusalsFor = (
  people: People,
  document: RefusalsDocument,
): RefusalsDocument & { readonly people: People } => ({
  ...document,
  people,
  refusals: document.refusals.map((receipt) =>
    people === 'told' ? receipt : { ...receipt, principal: null },
  ),
});

/** Ids are withheld too: they are of conversations. */
export const workFor = (
  people: People,
  work: WorkInHand,
): WorkInHand & { readonly people: People } => ({
  ...work,
  people,
  newest: work.newest.map((record) =>
    people === 'told' ? record : { ...record, principal: null, id: null },
  ),
});
