/**
 * Whether every gateway that lost its watcher is back: for a few seconds after a watcher's start, those
 * that are connected may be some of many, and for a few after a connection ended, its gateway may be
 * about to connect again. Who they are otherwise is `account.ts`.
 */

import { lstatSync } from 'node:fs';
import { HEARTBEAT_MS } from '@fleet-estop/wire';
import { processOf } from './account.ts';
import { watcherSocket } from './request.ts';
import type { WatchedGateway, WatcherState } from './state.ts';

/** A gateway waits at most 5 s before it tries again; then it has to say hello. */
const RETURN_MS = 6_000;
/** Watchers did not always say when a connection ended. Something was heard up to a heartbeat before. */
const UNSEEN_MS = RETURN_MS + HEARTBEAT_MS;

/** By the age of its socket, which a watcher makes anew when it starts. After a clock was set it may lie. */
export function mayMissGateways(root: string): boolean {
  try {
    const socket = lstatSync(watcherSocket(root), { throwIfNoEntry: false });
    return socket !== undefined && Math.abs(Date.now() - socket.mtimeMs) < RETURN_MS;
  } catch {
    return true;
  }
}

/**
 * One profile of a gateway that went away a moment ago. One that was told to stop, and one that was
 * killed, look the same as one that tries to come back.
 */
export interface DepartedGateway extends Pick<WatchedGateway, 'instance' | 'pid'> {
  readonly profile: string;
  /** Since it was last heard; null: not known, since it was not said, or a clock was set back since. */
  readonly agoMs: number | null;
}

/** Of the profiles that are meant. After a clock was set forward it may miss some. */
export function departedIn(
  { gateways }: WatcherState,
  isMeant: (profile: string) => boolean,
): DepartedGateway[] {
  const nowMs = Date.now();
  const here = new Set(gateways.filter(({ link }) => link !== 'gone').map(processOf));
  return gateways.flatMap((gateway): DepartedGateway[] => {
    const { instance, pid, link, lastSeenAtMs, goneAtMs, profiles } = gateway;
    if (link !== 'gone' || here.has(processOf(gateway))) return [];
    const agoMs = since(lastSeenAtMs, nowMs);
    // One that was silent for long before its connection ended may be back just as soon.
    const isOver =
      goneAtMs === null ? isLonger(agoMs, UNSEEN_MS) : isLonger(since(goneAtMs, nowMs), RETURN_MS);
    if (isOver) return [];
    const names = profiles.map(({ name }) => name).filter(isMeant);
    return names.map((profile) => ({ instance, pid, profile, agoMs }));
  });
}

/** null: not known, or a clock was set back since. */
const since = (atMs: number | null, nowMs: number): number | null =>
  atMs === null || atMs > nowMs ? null : nowMs - atMs;

/** INVARIANT 2: a time that is not known may be just now. */
const isLonger = (ms: number | null, thanMs: number): boolean => ms !== null && ms >= thanMs;
