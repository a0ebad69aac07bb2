/**
 * Gives out work in hand with a signal that aborts it.
 * Which work is to be cut is `cutting.ts`; who owns a claim is the ledger's.
 */
import type { Claim } from '@fleet-estop/ledger';
import type { WorkInHand } from './work-in-hand.ts';

/**
 * The reason of an aborted signal. `WORK_LOST`: another owner has the claim, and may do the same work.
 * `WORK_CUT`: the gateway is about to be restarted.
 */
export class WorkAborted extends Error {
  override readonly name = 'WorkAborted';
  readonly code: 'WORK_LOST' | 'WORK_CUT';
  readonly profile: string;
  readonly door: string;
  readonly id: string;

  constructor(code: 'WORK_LOST' | 'WORK_CUT', { profile, door, id }: NamedWork, why: string) {
    super(`work \`${id}\` of \`${door}\` on \`${profile}\`: ${why}`);
    this.code = code;
    this.profile = profile;
    this.door = door;
    this.id = id;
  }
}

export interface NamedWork {
  readonly profile: string;
  readonly door: string;
  readonly id: string;
}

export interface Signals {
  /** `work` as the author sees it. */
  of(work: Omit<NamedWork, 'profile'>, claim: Claim): WorkInHand;
  /** Aborts the signals of this work with `WORK_CUT`. */
  cut(work: Omit<NamedWork, 'profile'>, why: string): void;
}

/** `ended` is called after each end of work. */
export function signalsOf(profile: string, ended: () => void): Signals {
  const out = new Map<string, Set<(reason: WorkAborted) => void>>();
  const keyOf = ({ door, id }: Omit<NamedWork, 'profile'>): string => JSON.stringify([door, id]);
  return {
    of({ door, id }, claim) {
      let controller: AbortController | undefined;
      let reason: WorkAborted | undefined;
      const abort = (why: WorkAborted): void => {
        reason ??= why;
        controller?.abort(reason);
      };
      const key = keyOf({ door, id });
      const aborts = out.get(key) ?? new Set();
      out.set(key, aborts.add(abort));
      claim.onLost(() =>
        abort(new WorkAborted('WORK_LOST', { profile, door, id }, 'another owner has it now')),
      );
      return {
        owner: claim.owner,
        get recorded() {
          return claim.recorded;
        },
        // Most work never asks for its signal.
        get signal() {
          controller ??= new AbortController();
          if (reason !== undefined) controller.abort(reason);
          return controller.signal;
        },
        follow: claim.follow,
        touch: claim.touch,
        end() {
          const isOurs = claim.end();
          aborts.delete(abort);
          if (aborts.size === 0 && out.get(key) === aborts) out.delete(key);
          ended();
          return isOurs;
        },
      };
    },
    cut(work, why) {
      const reason = new WorkAborted('WORK_CUT', { profile, ...work }, why);
      for (const abort of [...(out.get(keyOf(work)) ?? [])]) abort(reason);
    },
  };
}
