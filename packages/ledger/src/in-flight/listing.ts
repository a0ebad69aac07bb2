/**
 * What a listing of a register finds. Listing it is `claims.ts`; caching that is `memory.ts`.
 */
import type { Unreadable } from './folders.ts';
import type { ClaimName } from './names.ts';

export interface ClaimEntry {
  readonly digest: string;
  readonly entry: string;
  /** null if the entry's name cannot be parsed. */
  readonly name: ClaimName | null;
}

export interface ClaimListing {
  /** Digests of empty folders: their work has ended. */
  readonly empty: readonly string[];
  readonly claims: readonly ClaimEntry[];
  readonly unreadable: readonly Unreadable[];
}
