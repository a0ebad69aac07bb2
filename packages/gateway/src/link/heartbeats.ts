/**
 * What a gateway says of its work with every heartbeat: only the numbers that have changed, so that
 * one that serves a thousand profiles does not say a thousand things every two seconds.
 */
import type { GatewayHeartbeat } from '@fleet-estop/wire';
import type { LinkedProfile } from './status.ts';

/** Fits into a line, however long the names are. */
const MAX_IN_A_LINE = 64;

export interface Heartbeats {
  /** On a new connection nothing was said yet. */
  forget(): void;
  /** At least one: silence is what makes us stale. `offer` tells whether it was said. */
  send(profiles: readonly LinkedProfile[], offer: (heartbeat: GatewayHeartbeat) => boolean): void;
}

export function heartbeats(): Heartbeats {
  const sent = new Map<string, string>();
  return {
    forget: () => sent.clear(),
    send(profiles, offer) {
      const changed = profiles.filter((profile) => sent.get(profile.name) !== numbers(profile));
      for (let from = 0; from === 0 || from < changed.length; from += MAX_IN_A_LINE) {
        const some = changed.slice(from, from + MAX_IN_A_LINE);
        const counts = some.map(({ name, in_flight, refused = 0 }) => ({
          name,
          in_flight,
          refused,
        }));
        if (!offer({ type: 'alive', profiles: counts })) return;
        for (const profile of some) sent.set(profile.name, numbers(profile));
      }
    },
  };
}

const numbers = ({ in_flight, refused = 0 }: LinkedProfile): string => `${in_flight} ${refused}`;
