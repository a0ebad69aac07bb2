/**
 * What one path says: absent, active (it holds) or expired, and by which holds.
 * Everything but a clean "no such entry" and a readable, wholly expired body is active [2].
 */

import { codeOf, couldNotLook, failureOf, meansAbsent } from '../files/errno.ts';
import { anonymousId, readBody, unreadableHold } from '../model/body.ts';
import { type Clock, clockAt, hasExpired, hasSurelyExpired } from '../model/deadline.ts';
import type { Allow, Hold } from '../model/hold.ts';
import type { JsonObject } from '../model/json.ts';
import { reasonOfText, utf16Text } from '../model/plain-text.ts';
import { MAX_ENTRIES, shortenReason } from './limits.ts';
import type { DiskPort, Handle } from './port.ts';

export interface Sentinel {
  readonly state: 'absent' | 'active' | 'expired';
  /** Those that stand: never empty while active, empty otherwise. */
  readonly holds: readonly Hold[];
  /** Those whose deadline has passed. */
  readonly expired: readonly Hold[];
  /**
   * INVARIANT 1: what a rewrite keeps of others' holds: those that stand, then those that have expired
   * by a clock that may be wrong. The latter hold nobody here, and may well do so by a better clock.
   */
  readonly kept: readonly Hold[];
  /** What the top level allows, which must agree with the holds. */
  readonly topAllow: Allow | null;
  readonly generation: string | null;
  /** Top-level fields this version does not know. */
  readonly extra: JsonObject;
  readonly ino: string;
  /** null: there is none, or it could not be read. */
  readonly bytes: Uint8Array | null;
  /** Errno, `empty`, `not-json`, `utf-16` or `not-utf8`. */
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

/** Reads what stands at `path`. Never throws an errno, never blocks, never follows a link. */
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
 * What an `lstat` tells of what could not be opened. It needs no descriptor, so a process that has
 * none left still knows whether something stands there, and whether that is a file at all.
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

/** What a regular file with these bytes says. Pure. */
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
  // Expired only if every hold AND the top level have: older readers go by the top level alone.
  const topStands = standing.length === 0 && !hasExpired(body.top, clock);
  const holds = topStands ? [body.top] : standing;
  const kept = [...holds, ...expired.filter((hold) => !hasSurelyExpired(hold, clock))];
  const state = holds.length > 0 ? 'active' : 'expired';
  const { generation, extra } = body;
  return { state, holds, expired, kept, generation, extra, ino, bytes, topAllow: body.top.allow };
}

/**
 * Identity of what was seen at a path: its inode and its content. Works for bodies without a
 * generation (a `touch`, a torn file, a folder, a FIFO), and covers the reuse of an inode.
 */
export function tagOf(sentinel: Sentinel): string {
  if (sentinel.state === 'absent') return 'absent';
  const content = sentinel.bytes === null ? sentinel.unreadable : digest(sentinel.bytes);
  return `${sentinel.ino}~${content}`;
}

function digest(bytes: Uint8Array): string {
  // Loaded when it is needed: checks never are the reason, and a command's start would pay for it.
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
