/**
 * How this process identifies itself to the watcher, besides its instance: its mark, and the systemd
 * service that it runs in.
 */
import { readFileSync } from 'node:fs';
import type { GatewayMark } from '@fleet-estop/protocol';
import { markOf } from '@fleet-estop/sentinel-core';

/** The longest text that the watcher accepts in a mark, and in a unit, in characters. */
const MAX_MARK = 64;
const MAX_UNIT = 256;

export interface OwnProcess {
  readonly mark?: GatewayMark;
  readonly unit?: string;
}

export function ownProcess(): OwnProcess {
  const unit = unitIn(orEmpty(() => readFileSync('/proc/self/cgroup', 'utf8')));
  const own = markOf();
  if (own === null) return unit === null ? {} : { unit };
  const { pid, birth, place } = own;
  const [start, boot, pid_ns] = [birth, place.boot, place.pids].map((it) => it.slice(0, MAX_MARK));
  const mark = { pid, start: start ?? '', boot: boot ?? '', pid_ns: pid_ns ?? '' };
  return unit === null ? { mark } : { mark, unit };
}

/**
 * The service that this control group belongs to; null if it is none. Only the last part of the path
 * counts: everything in a user's session lies below `user@1000.service`.
 */
export function unitIn(cgroup: string): string | null {
  for (const line of cgroup.split('\n')) {
    // `0::` is the unified hierarchy; the older one of systemd is named.
    const [, path] = /^(?:0::|\d+:name=systemd:)(.*)$/.exec(line) ?? [];
    const last = path?.split('/').at(-1) ?? '';
    if (/^[\w:.@\\-]+\.service$/.test(last) && last.length <= MAX_UNIT) return last;
  }
  return null;
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
