/**
 * Describes one piece of work in hand: what it is, since when, and its owner.
 * Which work needs attention is `verbs/doctor/work.ts`.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { ago, instantOf, localTime } from '../text/time.ts';

export const titleOf = ({ door, id }: Pick<WorkRecord, 'door' | 'id'>): string =>
  door === null && id === null
    ? 'work whose claim cannot be read'
    : `${door ?? 'at an unknown door'} \`${id ?? 'without an id'}\``;

export function workSince({ since }: Pick<WorkRecord, 'since'>, nowMs: number): string {
  const at = instantOf(since);
  return at === null ? 'an unknown time' : `${localTime(at)} (${ago(at, nowMs)})`;
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
