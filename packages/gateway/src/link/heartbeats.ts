/**
 * Sends heartbeats with only the counts that changed, so that a gateway of a thousand profiles does not
 * send a thousand counts every two seconds.
 */
import type { GatewayHeartbeat } from '@fleet-estop/protocol';
import type { LinkedProfile } from './status.ts';

/** Profiles of one heartbeat: these fit into a line even with the longest names. */
const MAX_IN_A_LINE = 64;

export interface Heartbeats {
  /** Forgets what was sent. Call it for each new connection. */
  forget(): void;
  /**
   * Sends at least one heartbeat, since a silent gateway becomes stale. Counts whose `offer` returns
   * false are sent again next time.
   */
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
