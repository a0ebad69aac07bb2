/**
 * How one piece of work in hand is told: what it is, since when, and whose.
 * Which of it must be looked at is `verbs/doctor/work.ts`.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { ago, instantOf, localTime } from '../text/time.ts';

export const titleOf = ({ door, id }: Pick<WorkRecord, 'door' | 'id'>): string =>
  door === null && id === null
    ? 'work whose claim cannot be read'
    : `${door ?? 'at an unknown door'} \`${id ?? 'without an id'}\``;

export function workSince({ since }: Pick<WorkRecord, 'since'>, nowMs: number): string {
  const at = instantOf(since);
  return at === null ? 'a time that is not known' : `${localTime(at)} (${ago(at, nowMs)})`;
}

/** What has no time that can be read comes first: it must not be overlooked. */
export const byAge = (one: WorkRecord, other: WorkRecord): number => sinceMs(one) - sinceMs(other);

const sinceMs = ({ since }: WorkRecord): number => instantOf(since) ?? Number.MIN_SAFE_INTEGER;

/** A process id means something in its own container alone. */
export function workOwner({
  instance,
  owner,
  host,
  pid,
}: Pick<WorkRecord, 'instance' | 'owner' | 'host' | 'pid'>): string {
  const name = instance ?? owner;
  if (name === null) return 'an owner that cannot be told';
  const place = host === null ? 'a host that is not known' : host;
  return `gateway ${name} on ${place}${pid === null ? '' : `, process ${pid} there`}`;
}
