/**
 * Pushing to gateways, as a service of the daemon.
 */
import type { Socket } from 'node:net';
import { type Gateways, type GatewaysOptions, gateways } from './gateways.ts';

interface PushContext extends Pick<GatewaysOptions, 'store' | 'log' | 'lookAgain'> {
  readonly caps: { readonly gateways: number };
  readonly onConnection: (handler: (socket: Socket) => void) => void;
  readonly onCut: (handler: Gateways['cut']) => void;
}

/**
 * The profile `default` is in the fleet while a gateway serves it. That, or a profile that did not
 * exist yet, makes the daemon look again.
 */
export async function pushService(context: PushContext): Promise<() => Promise<void>> {
  const { accept, cut, close } = gateways({ ...context, maxLinks: context.caps.gateways });
  context.onConnection(accept);
  context.onCut(cut);
  return close;
}
