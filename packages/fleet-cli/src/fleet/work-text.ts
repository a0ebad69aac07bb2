/**
 * Describes one piece of work in hand: what it is, since when, and its owner.
 * Which work needs attention is `verbs/doctor/work.ts`.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { ago, instantOf, localTime, span } from '../text/time.ts';

export const titleOf = ({ door, id }: Pick<WorkRecord, 'door' | 'id'>): string =>
  door === null && id === null
    ? 'work whose claim cannot be read'
    : `${door ?? 'at an unknown door'} \`${id ?? 'without an id'}\``;

export function workSince({ since }: Pick<WorkRecord, 'since'>, nowMs: number): string {
  const at = instantOf(since);
  return at === null ? 'an unknown time' : `${localTime(at)} (${ago(at, nowMs)})`;
}

/** `; last progress 5m ago`; empty if it never made any and has no limit. */
export function workProgress(
  { since, progressAt, stallMs }: Pick<WorkRecord, 'since' | 'progressAt' | 'stallMs'>,
  nowMs: number,
): string {
  const [beganMs, atMs] = [instantOf(since), instantOf(progressAt)];
  const isMarked = atMs !== null && atMs - (beganMs ?? atMs) > UNMARKED_MS;
  if (atMs === null || (!isMarked && stallMs === null)) return '';
  return `; last progress ${ago(atMs, nowMs)}`;
}

/** Work that a disk took this long to record has made no progress of its own. */
const UNMARKED_MS = 1_000;

/** Wedged work: how long it made no progress, and its limit. */
export function wedgedText(work: WorkRecord, nowMs: number): string {
  const atMs = instantOf(work.progressAt) ?? nowMs;
  const limit = work.stallMs === null ? '' : `, and its limit is ${span(work.stallMs)}`;
  return `${titleOf(work)}: no progress for ${span(Math.max(0, nowMs - atMs))}${limit}`;
}

/** Work without a readable start time comes first, so that it is not overlooked. */
export const byAge = (one: WorkRecord, other: WorkRecord): number => sinceMs(one) - sinceMs(other);

const sinceMs = ({ since }: WorkRecord): number => instantOf(since) ?? Number.MIN_SAFE_INTEGER;

/** The process id is valid only in the container of the owner. */
export function workOwner({
  instance,
  owner,
  host,
  pid,
}: Pick<WorkRecord, 'instance' | 'owner' | 'host' | 'pid'>): string {
  const name = instance ?? owner;
  if (name === null) return 'an unknown owner';
  const place = host === null ? 'an unknown host' : host;
  return `gateway ${name} on ${place}${pid === null ? '' : `, process ${pid} there`}`;
}
