/**
 * How a connection is ended from this side: with the reason, but without waiting for anybody.
 */
import type { Socket } from 'node:net';
import { encode, type Refused } from '@fleet-estop/wire';

export type CloseReason = Omit<Refused, 'type'>;

/** A peer that reads has its line long before; one that does not must not keep a descriptor. */
const CLOSING_MS = 1_000;

/** Says why, and ends the connection. Resolves when it is closed, a second later at most. */
export function closeWithReason(socket: Socket, reason: CloseReason): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Whatever it still sends is thrown away.
    socket.resume();
    socket.end(encode({ type: 'refused', ...reason }));
    socket.destroySoon();
  });
}
