/**
 * What waits to be written to one gateway: of each profile only the newest state, so a slow reader
 * costs bounded memory and, when it reads again, learns where things are and not how they came there.
 */
import type { Socket } from 'node:net';
import type { Frame } from './frames.ts';

export interface Outbox {
  /** Replaces what waits of this profile. */
  put(profile: string, frame: Frame): void;
  /** Written at once or not at all: a heartbeat that waits says nothing. */
  offer(line: Uint8Array): void;
  /** The revision of this profile that was put last; null: none. */
  newest(profile: string): number | null;
  forgetAllBut(profiles: ReadonlySet<string>): void;
  /** Frames that wait: at most one for each profile. */
  readonly size: number;
  /** Since when nothing could be written, by the clock that was passed in; null: it can. */
  blockedSince(): number | null;
}

/** `wrote` is told which revision was handed to the socket. */
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
