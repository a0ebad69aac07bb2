/**
 * What waits to be written to one gateway: only the newest state of each profile. A slow reader
 * costs bounded memory, and gets the current state when it reads again, without the steps between.
 */
import type { Socket } from 'node:net';
import type { Frame } from './frames.ts';

export interface Outbox {
  /** Replaces the waiting frame of this profile. */
  put(profile: string, frame: Frame): void;
  /** Written at once or dropped: a delayed heartbeat is worthless. */
  offer(line: Uint8Array): void;
  /** The last revision of this profile that was put; null: none. */
  newest(profile: string): number | null;
  forgetAllBut(profiles: ReadonlySet<string>): void;
  /** Number of waiting frames: at most one per profile. */
  readonly size: number;
  /** Since when writing is blocked, by the clock that was passed in; null: it is not. */
  blockedSince(): number | null;
}

/** `sent` is called with each revision that was handed to the socket. */
export function outbox(
  socket: Pick<Socket, 'write' | 'on'>,
  sent: (profile: string, revision: number) => void,
  steadyMs: () => number,
): Outbox {
  const waiting = new Map<string, Frame>();
  const put = new Map<string, number>();
  let blocked: number | null = null;

  const write = (line: Uint8Array): void => {
    if (!socket.write(line)) blocked ??= steadyMs();
  };
  const flush = (): void => {
    for (const [profile, frame] of waiting) {
      if (blocked !== null) return;
      waiting.delete(profile);
      sent(profile, frame.revision);
      write(frame.line);
    }
  };
  socket.on('drain', () => {
    blocked = null;
    flush();
  });
  return {
    put(profile, frame) {
      waiting.set(profile, frame);
      put.set(profile, frame.revision);
      flush();
    },
    offer(line) {
      if (blocked === null && waiting.size === 0) write(line);
    },
    newest: (profile) => put.get(profile) ?? null,
    forgetAllBut(profiles) {
      for (const profile of put.keys()) {
        if (profiles.has(profile)) continue;
        put.delete(profile);
        waiting.delete(profile);
      }
    },
    get size() {
      return waiting.size;
    },
    blockedSince: () => blocked,
  };
}
