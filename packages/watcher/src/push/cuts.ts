/**
 * Asks the gateways of a profile to cut its work, for a restart, and collects their answers.
 * What a gateway does then is its own; who may ask is `serve/`.
 */
import { type CutDocument, type CutDone, encode } from '@fleet-estop/protocol';
import type { GatewayLink } from './gateway-link.ts';

export interface CutRequest {
  readonly id: string;
  readonly reason: string;
  readonly deadline_ms: number;
}

export type GatewayCut = CutDocument['gateways'][number];

export interface Cuts {
  /** Resolves when every gateway of the profile has answered, or a second after the deadline. */
  ask(profile: string, request: CutRequest): Promise<readonly GatewayCut[]>;
  answered(link: GatewayLink, done: CutDone): void;
  /** Answers what is known by now: the watcher stops. */
  close(): void;
}

/**
 * Milliseconds between attempts to reach a gateway that does not read, or that connects again. It gets
 * the request once per connection, and does everything once, by its id.
 */
const RETRY_MS = 100;
/** Milliseconds after the deadline, by which the gateway bounds its notices: its answer must come. */
const ANSWER_MS = 1_000;

interface Asked {
  readonly id: string;
  readonly profile: string;
  readonly sentTo: Set<GatewayLink>;
  answer: CutDone | null;
}

/** `links`: the connected gateways, each once. */
export function cuts(links: () => Iterable<GatewayLink>): Cuts {
  const pending = new Map<string, Set<Asked>>();
  const stops = new Set<() => void>();

  const serving = (profile: string): GatewayLink[] =>
    [...links()].filter((link) => link.hello() !== null && link.profiles().has(profile));
  const instanceOf = (link: GatewayLink): string => link.hello()?.instance ?? '';

  const send = (asked: Asked, instance: string, line: Uint8Array): void => {
    for (const link of serving(asked.profile)) {
      if (instanceOf(link) !== instance || asked.sentTo.has(link)) continue;
      // It would be dropped.
      if (link.outbox.blockedSince() !== null || link.outbox.size > 0) continue;
      asked.sentTo.add(link);
      link.outbox.offer(line);
    }
  };

  return {
    async ask(profile, { id, reason, deadline_ms }) {
      const line = Buffer.from(encode({ type: 'cut', id, profile, reason, deadline_ms }));
      const results = serving(profile).map((link) => ({
        instance: instanceOf(link),
        pid: link.hello()?.pid ?? 0,
        asked: link.hello()?.features?.includes('cut')
          ? ({ id, profile, sentTo: new Set(), answer: null } as Asked)
          : null,
      }));
      const waiting = new Map(
        results.flatMap(({ instance, asked }) => (asked === null ? [] : [[instance, asked]])),
      );
      for (const [instance, asked] of waiting) {
        pending.set(instance, (pending.get(instance) ?? new Set()).add(asked));
      }
      await new Promise<void>((resolve) => {
        const stop = (): void => {
          clearInterval(timer);
          clearTimeout(limit);
          stops.delete(stop);
          resolve();
        };
        const look = (): void => {
          const open = [...waiting].filter(([, { answer }]) => answer === null);
          for (const [instance, asked] of open) send(asked, instance, line);
          if (open.length === 0) stop();
        };
        const timer = setInterval(look, RETRY_MS);
        const limit = setTimeout(stop, deadline_ms + ANSWER_MS);
        stops.add(stop);
        look();
      });
      for (const [instance, asked] of waiting) {
        const others = pending.get(instance);
        others?.delete(asked);
        if (others?.size === 0) pending.delete(instance);
      }
      return results.map(({ instance, pid, asked }) => {
        const { told, failed, left } = asked?.answer ?? { told: null, failed: null, left: null };
        const answered = asked?.answer === null ? 'silent' : 'done';
        return {
          instance,
          pid,
          outcome: asked === null ? 'unsupported' : answered,
          told,
          failed,
          left,
        };
      });
    },
    answered(link, done) {
      for (const asked of pending.get(instanceOf(link)) ?? []) {
        // Only what this connection was asked: a gateway answers for nobody else.
        if (asked.id === done.id && asked.profile === done.profile && asked.sentTo.has(link)) {
          asked.answer = done;
        }
      }
    },
    close() {
      for (const stop of [...stops]) stop();
    },
  };
}
