/**
 * Closes a connection from our side: sends the reason, and does not wait for a slow peer.
 */
import type { Socket } from 'node:net';
import { type ConnectionRefusal, encode } from '@fleet-estop/protocol';

export type CloseReason = Omit<ConnectionRefusal, 'type'>;

/** A peer that reads has received the line long before; another must not keep a descriptor. */
const CLOSING_MS = 1_000;

/** Sends the reason and ends the connection. Resolves when it is closed, after at most a second. */
export function closeWithReason(socket: Socket, reason: CloseReason): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Discard whatever it still sends.
    socket.resume();
    socket.end(encode({ type: 'refused', ...reason }));
    socket.destroySoon();
  });
}
