/**
 * One run of a case against a running gateway: with deadlines, so that a gateway that hangs is said to
 * hang. Which cases there are is `cases/`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KitPrincipals } from './adapter.ts';
import { DoorFailure } from './failure.ts';
import type { Fleet } from './fleet.ts';

export interface CaseContext<Gateway> {
  readonly gateway: Gateway;
  readonly fleet: Fleet;
  readonly principals: KitPrincipals;
  /** A name that no other case has used. */
  fresh(kind: string): string;
  readonly patience: Patience;
}

export interface Case<Gateway> {
  /** A door's name, `work`, `control` or `link`. */
  readonly door: string;
  /** A sentence that goes on from the door's name. */
  readonly title: string;
  readonly run: (context: CaseContext<Gateway>) => Promise<void>;
  /** It leaves the fleet as no other case expects it: the next one gets another gateway. */
  readonly spoils?: true;
}

export interface Patience {
  readonly ms: number;
  /** What the adapter answers, or the failure that it did not in time. */
  answer<Value>(door: string, call: () => Promise<Value> | Value): Promise<Value>;
  /** Looks again until it is so; false: it was not in time. */
  until(look: () => Promise<boolean> | boolean, withinMs?: number): Promise<boolean>;
}

const LOOK_MS = 20;

const HANGS_AT_A_DOOR =
  'answer while paused, too; a gateway that opens the sentinel itself hangs where it is a FIFO';
/** What is no door hangs for another reason. */
const HANGS: Readonly<Record<string, string>> = {
  start: 'resolve as soon as the gateway can be asked, and do not wait for its end',
  stop: 'close what `start` has opened (servers with their open connections, timers, workers, the gate) and do not wait for work that nobody ends; end a process that does not go by SIGKILL',
};

export const patienceOf = (ms: number): Patience => ({
  ms,
  async answer(door, call) {
    const answered = new AbortController();
    const late = delay(ms, undefined, { signal: answered.signal }).then(() => {
      throw new DoorFailure(
        door,
        `the adapter's \`${door}\` did not answer within ${ms / 1000} s`,
        HANGS[door] ?? HANGS_AT_A_DOOR,
      );
    });
    try {
      return await Promise.race([call(), late]);
    } finally {
      answered.abort();
      late.catch(() => {});
    }
  },
  async until(look, withinMs = ms) {
    const endMs = performance.now() + withinMs;
    for (;;) {
      if (await look()) return true;
      if (performance.now() > endMs) return false;
      await delay(LOOK_MS);
    }
  },
});
