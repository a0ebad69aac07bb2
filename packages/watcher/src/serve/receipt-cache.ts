/**
 * Caches receipts while their files are unchanged. It prevents a failure that was measured: on a busy
 * machine an answer about 1,000 profiles never reached the last of them within its two seconds,
 * however often it was asked for.
 * Reading them is `receipt-tail.ts`.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { receiptsPath } from '@fleet-estop/ledger';
import { type ReceiptTail, readReceiptTail } from './receipt-tail.ts';

export interface ReceiptCache {
  /** The newest receipts of a home, up to `maxBytes`; more if they are cached. */
  tailOf(home: string, maxBytes: number): TailLookup;
}

export interface TailLookup {
  readonly tail: ReceiptTail;
  /** Identity of the receipts' folder, by whatever path it was reached; null: no folder. */
  readonly folder: string | null;
}

interface CachedTail {
  readonly identity: string;
  readonly maxBytes: number;
  readonly tail: ReceiptTail;
}

const EMPTY_TAIL: ReceiptTail = {
  receipts: [],
  corrupt: 0,
  unreadable: null,
  isCut: false,
  bytes: 0,
};

/** Bytes of lines; parsed they take about four times as much. */
const MAX_CACHED_BYTES = 12 * 1024 * 1024;
/** A home without receipts has no bytes, but its entry needs memory. */
const ENTRY_BYTES = 256;

export function receiptCache(mostBytes = MAX_CACHED_BYTES): ReceiptCache {
  /** Least recently used first. */
  const cached = new Map<string, CachedTail>();
  let bytes = 0;

  const drop = (home: string): void => {
    const old = cached.get(home);
    if (old === undefined) return;
    cached.delete(home);
    bytes -= old.tail.bytes + ENTRY_BYTES;
  };

  return {
    tailOf(home, maxBytes) {
      // Identified before reading: a write during the read is noticed next time.
      const { folder, identity } = identify(home);
      if (folder === null && identity === null) return { tail: EMPTY_TAIL, folder };
      const known = cached.get(home);
      const isSame = known !== undefined && identity !== null && known.identity === identity;
      const isEnough = isSame && (known.maxBytes >= maxBytes || !known.tail.isCut);
      const now = isEnough
        ? known
        : { identity: identity ?? '', maxBytes, tail: readReceiptTail(home, maxBytes) };
      drop(home);
      // Do not cache failures: a changed mode of a parent folder may make it readable any time.
      if (identity === null || now.tail.unreadable !== null) return { tail: now.tail, folder };
      cached.set(home, now);
      bytes += now.tail.bytes + ENTRY_BYTES;
      for (const oldest of cached.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
      return { tail: now.tail, folder };
    },
  };
}

interface FolderIdentity {
  readonly folder: string | null;
  /** null with a folder: unknown. null without one: there is nothing. */
  readonly identity: string | null;
}

/** Two system calls. Rotating or removing a file changes its folder. */
function identify(home: string): FolderIdentity {
  const path = receiptsPath(home);
  const folder = statOf(() => statSync(dirname(path), { throwIfNoEntry: false }));
  if (folder === undefined) return { folder: null, identity: null };
  if (folder === null) return { folder: '', identity: null };
  const file = statOf(() => lstatSync(path, { throwIfNoEntry: false }));
  const name = `${folder.dev}:${folder.ino}`;
  if (file === null) return { folder: name, identity: null };
  return {
    folder: name,
    identity: `${marksOf(folder)} ${file === undefined ? '' : marksOf(file)}`,
  };
}

const marksOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(':');

/** undefined: absent. null: unknown. */
function statOf(look: () => Stats | undefined): Stats | undefined | null {
  try {
    return look();
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (typeof code !== 'string') throw error;
    return code === 'ENOTDIR' ? undefined : null;
  }
}
