/**
 * A case, the context in which it runs, and deadlines, so that a gateway that hangs is reported as such.
 * The cases are `cases/`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KitPrincipals } from './adapter.ts';
import { DoorFailure } from './failure.ts';
import type { Fleet } from './fleet.ts';

export interface CaseContext<Gateway> {
  readonly gateway: Gateway;
  readonly fleet: Fleet;
  readonly principals: KitPrincipals;
  /** Returns a name that no other case has used. */
  fresh(kind: string): string;
  readonly patience: Patience;
}

export interface Case<Gateway> {
  /** A door's name, `work`, `control` or `link`. */
  readonly door: string;
  /** A sentence whose subject is the door. */
  readonly title: string;
  readonly run: (context: CaseContext<Gateway>) => Promise<void>;
  /** The case leaves the fleet unusable for others: the next one gets a new gateway. */
  readonly spoils?: true;
}

export interface Patience {
  readonly ms: number;
  /** Awaits the adapter. Throws DoorFailure if it does not answer in time. */
  answer<Value>(door: string, call: () => Promise<Value> | Value): Promise<Value>;
  /** Polls until `look` answers true; false if it did not in time. */
  until(look: () => Promise<boolean> | boolean, withinMs?: number): Promise<boolean>;
}

const LOOK_MS = 20;

const HANGS_AT_A_DOOR =
  'answer while paused, too; a gateway that opens the sentinel itself hangs if it is a FIFO';
/** Parts that are not doors hang for other reasons. */
const HANGS: Readonly<Record<string, string>> = {
  start: 'resolve as soon as the gateway accepts requests; do not wait for it to exit',
  stop: 'close what `start` has opened (servers with their open connections, timers, workers, the gate), and do not wait for work that nobody ends; if a process does not exit, send SIGKILL',
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
