/**
 * Tells the author that a held profile still has work in hand, and when it has none left.
 * Which profile is held is `link/`, from the disk.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import { safely } from '../link/safely.ts';
import type { IdleWaits } from './idle.ts';

export interface Drain {
  readonly profile: string;
  /** true: the profile is still held, and nothing is in hand any more. */
  readonly drained: boolean;
  /** Pieces of work in hand, as `inFlight` counts them. */
  readonly left: number;
  /** Own and adopted work. */
  readonly work: readonly WorkRecord[];
}

export type DrainListener = (drain: Drain) => void;

export interface Drains {
  /** The profile is held, or is not. */
  see(profile: string, engaged: boolean): void;
  /** Calls the listener at once for each profile that drains now. */
  listen(listener: DrainListener): () => void;
}

export interface DrainsOptions {
  readonly left: (profile: string) => number;
  readonly work: (profile: string) => readonly WorkRecord[];
  readonly idle: IdleWaits;
}

export function drains({ left, work, idle }: DrainsOptions): Drains {
  const giveUp = new Map<string, () => void>();
  const listeners = new Set<{ readonly call: DrainListener }>();
  const current = (profile: string): Drain => {
    const count = left(profile);
    return { profile, drained: count === 0, left: count, work: work(profile) };
  };
  const tell = (drain: Drain): void => {
    for (const { call } of [...listeners]) safely(() => call(drain));
  };
  return {
    see(profile, engaged) {
      const isDraining = giveUp.has(profile);
      if (!engaged) {
        giveUp.get(profile)?.();
        giveUp.delete(profile);
      } else if (!isDraining && left(profile) > 0) {
        giveUp.set(profile, () => {});
        tell(current(profile));
        const done = (): void => {
          if (giveUp.delete(profile)) tell(current(profile));
        };
        const stop = idle.wait(() => left(profile), done);
        // A listener may have ended the work.
        if (giveUp.has(profile)) giveUp.set(profile, stop);
      }
    },
    listen(call) {
      const listener = { call };
      listeners.add(listener);
      for (const profile of giveUp.keys()) safely(() => call(current(profile)));
      return () => void listeners.delete(listener);
    },
  };
}
