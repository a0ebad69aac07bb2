/**
 * What holds have refused: the newest receipts that gateways left in profile homes, and their
 * number per door. Counts cover what was read, and the document says if there is more.
 * Removing names is `redaction.ts`, reading files `receipt-tail.ts`; `fleet history --refused`
 * reads all receipts.
 *
 * The budgets prevent that one question keeps the watcher busy: the receipts of 1,000 profiles with
 * 500 refusals each took 19 s to read in full, and take 3 s within the budgets.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ProfileRefusals, RefusalsDocument } from '@fleet-estop/protocol';
import { DEFAULT_PROFILE, formatInstant, profileHome } from '@fleet-estop/sentinel-core';
import type { Store } from '../state/store.ts';
import { type HttpError, httpError } from './answers.ts';
import { type ReceiptCache, receiptCache } from './receipt-cache.ts';
import type { ReceiptTail, TailReceipt } from './receipt-tail.ts';
import type { RefusalsQuery } from './refusals-query.ts';

/** Before names are removed for some clients. */
export type RefusalsRead = Omit<RefusalsDocument, 'people'>;

export interface Refusals {
  answer(query: RefusalsQuery): Promise<RefusalsRead | HttpError>;
}

/** Bytes of lines read for one answer: of all profiles together, and of each. */
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
const MAX_PROFILE_BYTES = 512 * 1024;
/** About forty receipts. */
const MIN_PROFILE_BYTES = 8 * 1024;
/** Bytes of the listed receipts. */
const MAX_LISTED_BYTES = 1024 * 1024;
const MAX_DOORS = 16;
/** Yield to other work after this long. One profile is read without a pause. */
const SLICE_MS = 8;
const READ_MS = 2_000;
/** Queued answers about all profiles; they are computed one after the other. */
const MAX_WAITING = 8;

export interface RefusalsOptions {
  readonly store: Store;
  readonly cache?: ReceiptCache;
  readonly readMs?: number;
}

export function refusals(options: RefusalsOptions): Refusals {
  const { store, cache = receiptCache(), readMs = READ_MS } = options;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();

  return {
    async answer(query) {
      const { fleet } = store.snapshot();
      const names = fleet.profiles.map(({ name }) => name);
      // Only its gateway knows whether the root is served, and the gateway may be gone.
      if (!names.includes(DEFAULT_PROFILE)) names.unshift(DEFAULT_PROFILE);
      const { profile } = query;
      if (profile !== null && !names.includes(profile)) {
        const hint = 'see /v1/state for the profiles that exist';
        return httpError(404, 'profile-unknown', 'there is no such profile', hint);
      }
      const wanted = profile === null ? names : [profile];
      const profileHomes = wanted.map((name) => ({ name, home: homeOf(fleet.root, name) }));
      const read = () => readReceipts(profileHomes, { query, cache, readMs });
      const fleetFields = { root: fleet.root, profiles_unreadable: fleet.unreadable };
      if (profile !== null) return refusalsDocument(query, await read(), fleetFields);
      if (waiting >= MAX_WAITING) {
        const hint = 'retry in a moment, or ask for one profile';
        return httpError(
          503,
          'busy',
          'too many clients ask for the refusals of all profiles',
          hint,
        );
      }
      waiting += 1;
      const mine = turn.then(read).finally(() => {
        waiting -= 1;
      });
      turn = mine.catch(() => {});
      return refusalsDocument(query, await mine, fleetFields);
    },
  };
}

/** For the profile `default` it is the root. */
export const homeOf = (root: string, name: string): string =>
  name === DEFAULT_PROFILE ? root : profileHome(root, name);

type ProfileReceipt = TailReceipt & { readonly profile: string };

interface ReceiptsRead {
  readonly lookedAtMs: number;
  readonly profiles: readonly ProfileRefusals[];
  readonly newest: readonly ProfileReceipt[];
  readonly unread: number;
}

interface ReadOptions {
  readonly query: RefusalsQuery;
  readonly cache: ReceiptCache;
  readonly readMs: number;
}

async function readReceipts(
  profileHomes: readonly { readonly name: string; readonly home: string }[],
  { query, cache, readMs }: ReadOptions,
): Promise<ReceiptsRead> {
  const share = Math.floor(MAX_TOTAL_BYTES / profileHomes.length);
  const maxBytes = Math.min(MAX_PROFILE_BYTES, Math.max(MIN_PROFILE_BYTES, share));
  const lookedAtMs = Date.now();
  const beganMs = performance.now();
  let sliceMs = beganMs;
  let unread = 0;
  const folders = new Set<string>();
  const profiles: ProfileRefusals[] = [];
  let newest: ProfileReceipt[] = [];
  for (const [at, { name, home }] of profileHomes.entries()) {
    if (performance.now() - sliceMs > SLICE_MS) {
      await yieldToOthers();
      sliceMs = performance.now();
      if (sliceMs - beganMs > readMs) {
        unread = profileHomes.length - at;
        break;
      }
    }
    const { tail, folder } = cache.tailOf(home, maxBytes);
    // Several profiles may share a home through a link: count it once.
    if (folder !== null && folder !== '') {
      if (folders.has(folder)) continue;
      folders.add(folder);
    }
    const found = matching(tail, query);
    const profileRefusals = profileRefusalsOf(name, tail, found, query);
    if (hasContent(profileRefusals)) profiles.push(profileRefusals);
    for (const receipt of found.slice(0, query.limit)) newest.push({ ...receipt, profile: name });
    // Not after each profile, or the list would be sorted as often.
    if (newest.length > 4 * query.limit + 1_000) newest = newestOf(newest, query.limit);
  }
  return { lookedAtMs, profiles, newest: newestOf(newest, query.limit), unread };
}

const newestOf = (receipts: readonly ProfileReceipt[], limit: number): ProfileReceipt[] =>
  [...receipts].sort((a, b) => b.atMs - a.atMs).slice(0, limit);

const matching = ({ receipts }: ReceiptTail, { door, sinceMs }: RefusalsQuery): TailReceipt[] =>
  receipts.filter(
    (receipt) =>
      (door === null || receipt.door === door) && (sinceMs === null || receipt.atMs >= sinceMs),
  );

function profileRefusalsOf(
  profile: string,
  { receipts, corrupt, unreadable, isCut }: ReceiptTail,
  found: readonly TailReceipt[],
  { sinceMs }: RefusalsQuery,
): ProfileRefusals {
  const counts = new Map<string, number>();
  for (const { door } of found) counts.set(door, (counts.get(door) ?? 0) + 1);
  const doors = [...counts]
    .map(([door, refused]) => ({ door, refused }))
    .sort((a, b) => b.refused - a.refused || (a.door < b.door ? -1 : 1));
  const listed = doors.slice(0, MAX_DOORS);
  const oldest = receipts.at(-1);
  return {
    profile,
    refused: found.length,
    doors: listed,
    other_doors: listed.reduce((left, { refused }) => left - refused, found.length),
    cut: isCut && (sinceMs === null || oldest === undefined || oldest.atMs >= sinceMs),
    oldest_read: oldest?.at ?? null,
    corrupt,
    unreadable,
  };
}

const hasContent = ({ refused, cut, corrupt, unreadable }: ProfileRefusals): boolean =>
  refused > 0 || cut || corrupt > 0 || unreadable !== null;

function refusalsDocument(
  { profile, door, sinceMs, limit }: RefusalsQuery,
  { lookedAtMs, profiles, newest, unread }: ReceiptsRead,
  about: Pick<RefusalsRead, 'root' | 'profiles_unreadable'>,
): RefusalsRead {
  const isWhole = profiles.every(
    ({ cut, corrupt, unreadable }) => !cut && corrupt === 0 && unreadable === null,
  );
  // While profiles cannot be listed, a home with receipts may be missing.
  const isListed = about.profiles_unreadable === null;
  let bytes = 0;
  return {
    schema: 'fleet/refusals/v1',
    ...about,
    looked_at: formatInstant(lookedAtMs),
    asked: { profile, door, since: sinceMs === null ? null : formatInstant(sinceMs), limit },
    complete: isWhole && isListed && unread === 0,
    profiles,
    unread,
    refused: profiles.reduce((sum, { refused }) => sum + refused, 0),
    refusals: newest
      .filter((receipt) => {
        bytes += receipt.bytes;
        return bytes <= MAX_LISTED_BYTES;
      })
      .map(({ atMs: _at, bytes: _bytes, ...receipt }) => receipt),
  };
}
