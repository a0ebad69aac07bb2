/**
 * Reads what is at one path: absent, active (it holds) or expired, and by which holds.
 * Only "no such entry" counts as absent and only a readable, wholly expired body as expired.
 * Everything else is active [2]. `check.ts` answers for a whole scope, tenures included.
 */

import { codeOf, couldNotLook, failureOf, meansAbsent } from '../files/errno.ts';
import { anonymousId, readBody, unreadableHold } from '../model/body.ts';
import { type Clock, clockAt, hasExpired, hasSurelyExpired } from '../model/deadline.ts';
import type { Allow, Hold } from '../model/hold.ts';
import type { JsonObject } from '../model/json.ts';
import { reasonOfText, utf16Text } from '../model/plain-text.ts';
import { MAX_ENTRIES, shortenReason } from './limits.ts';
import type { DiskPort, Handle } from './port.ts';

/** What was read at one path. */
export interface Sentinel {
  readonly state: 'absent' | 'active' | 'expired';
  /** Holds in force: never empty while active, empty otherwise. */
  readonly holds: readonly Hold[];
  /** Holds whose deadline has passed. */
  readonly expired: readonly Hold[];
  /**
   * INVARIANT 1: the holds of others that a rewrite keeps: those in force, then those that have
   * expired only by a clock that may be wrong. The latter hold nothing here, but may still hold by
   * a better clock.
   */
  readonly kept: readonly Hold[];
  /** The top-level allowlist. It must admit a principal as well as the holds do. */
  readonly topAllow: Allow | null;
  readonly generation: string | null;
  /** Top-level fields that this version does not know. */
  readonly extra: JsonObject;
  readonly ino: string;
  /** null: the file is absent or could not be read. */
  readonly bytes: Uint8Array | null;
  /**
   * Why the file is no readable body: an errno, `empty`, `not-json`, `utf-16`, `not-utf8` or
   * `too-many-holds`.
   */
  readonly unreadable?: string;
}

const NOTHING: JsonObject = Object.freeze(Object.create(null) as JsonObject);
const ABSENT: Sentinel = {
  state: 'absent',
  holds: [],
  expired: [],
  kept: [],
  topAllow: null,
  generation: null,
  extra: NOTHING,
  ino: '',
  bytes: null,
};
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the sentinel at `path`. `nowMs`: wall clock, milliseconds since the epoch. Never throws an
 * errno, never blocks and never follows a link [2][7].
 */
export function inspect(disk: DiskPort, path: string, nowMs: number): Sentinel {
  let handle: Handle;
  try {
    handle = disk.open(path, 'r');
  } catch (error) {
    const code = codeOf(error);
    return meansAbsent(code) ? ABSENT : lookWithoutOpening(disk, path, code);
  }
  let ino = '?';
  try {
    ino = disk.inoOf(handle);
    return classify(disk.read(handle), ino, clockAt(nowMs, disk));
  } catch (error) {
    return unreadable(codeOf(error), ino, null);
  } finally {
    failureOf(() => disk.close(handle));
  }
}

/**
 * Judges by `lstat` a path that could not be opened. `lstat` needs no descriptor, so a process
 * without free descriptors still knows whether something is there and whether it is a file.
 */
function lookWithoutOpening(disk: DiskPort, path: string, why: string): Sentinel {
  try {
    const entry = disk.lstat(path);
    if (entry === null) return ABSENT;
    const isDescribed = entry.kind !== 'file' && couldNotLook(why);
    return unreadable(isDescribed ? 'EINVAL' : why, entry.ino, null);
  } catch (error) {
    return meansAbsent(codeOf(error)) ? ABSENT : unreadable(why, '?', null);
  }
}

/** Judges the bytes of a regular file. Pure. */
export function classify(bytes: Uint8Array, ino: string, clock: Clock): Sentinel {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    const other = utf16Text(bytes);
    if (other === null) return unreadable('not-utf8', ino, bytes);
    return unreadable('utf-16', ino, bytes, reasonOfText(other));
  }
  const body = readBody(text, ino);
  if (body === null) {
    const reason = reasonOfText(text);
    return unreadable(bytes.length === 0 ? 'empty' : 'not-json', ino, bytes, reason);
  }
  const entries = body.holds ?? [body.top];
  if (entries.length > MAX_ENTRIES) return unreadable('too-many-holds', ino, bytes);
  const standing = entries.filter((hold) => !hasExpired(hold, clock));
  const expired = entries.filter((hold) => hasExpired(hold, clock));
  // Expired only if every hold AND the top level have expired: older readers read the top level
  // alone.
  const topStands = standing.length === 0 && !hasExpired(body.top, clock);
  const holds = topStands ? [body.top] : standing;
  const kept = [...holds, ...expired.filter((hold) => !hasSurelyExpired(hold, clock))];
  const state = holds.length > 0 ? 'active' : 'expired';
  const { generation, extra } = body;
  return { state, holds, expired, kept, generation, extra, ino, bytes, topAllow: body.top.allow };
}

/**
 * Identity of what was seen at a path: its inode and its content. It works for sentinels without a
 * generation (a `touch`, a torn file, a folder, a FIFO) and notices the reuse of an inode.
 */
export function tagOf(sentinel: Sentinel): string {
  if (sentinel.state === 'absent') return 'absent';
  const content = sentinel.bytes === null ? sentinel.unreadable : digest(sentinel.bytes);
  return `${sentinel.ino}~${content}`;
}

function digest(bytes: Uint8Array): string {
  // Loaded on demand: no check needs it, and every command would pay for it at its start.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function unreadable(
  why: string,
  ino: string,
  bytes: Uint8Array | null,
  text: string | null = null,
): Sentinel {
  const reason = text === null ? null : shortenReason(text);
  const holds = [unreadableHold(anonymousId(ino), why, reason)];
  return { ...ABSENT, state: 'active', holds, kept: holds, ino, bytes, unreadable: why };
}
