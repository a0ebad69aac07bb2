/**
 * Pushing to gateways, as a room of the daemon.
 */
import type { Socket } from 'node:net';
import { type GatewaysOptions, gateways } from './gateways.ts';

interface PushContext extends Pick<GatewaysOptions, 'store' | 'log' | 'lookAgain'> {
  readonly caps: { readonly gateways: number };
  readonly onConnection: (handler: (socket: Socket) => void) => void;
}

/**
 * The lane `default` is in the fleet as long as a gateway serves it; that, and a profile that was
 * not there yet, is what is looked at again.
 */
export async function pushService(context: PushContext): Promise<() => Promise<void>> {
  const { accept, close } = gateways({ ...context, maxLinks: context.caps.gateways });
  context.onConnection(accept);
  return close;
}
