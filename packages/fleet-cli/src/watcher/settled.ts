/**
 * Whether every gateway that lost an earlier watcher is back at the one that runs: for a few seconds
 * after its start, those that are connected may be some of many.
 * Who they are is `account.ts`.
 */
import { lstatSync } from 'node:fs';
import { watcherSocket } from './request.ts';

/** A gateway waits at most 5 s before it tries again; then it has to say hello. */
const RETURN_MS = 6_000;

/** By the age of its socket, which a watcher makes anew when it starts. After a clock was set it may lie. */
export function mayMissGateways(root: string): boolean {
  try {
    const socket = lstatSync(watcherSocket(root), { throwIfNoEntry: false });
    return socket !== undefined && Math.abs(Date.now() - socket.mtimeMs) < RETURN_MS;
  } catch {
    return true;
  }
}
