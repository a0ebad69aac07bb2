/**
 * One of several that compare and set the same generation, or lift the same hold, at the same moment.
 * Who sets the rounds up and judges them is `contest.ts`.
 */
import { arm } from '../../src/disk/arm.ts';
import { lift } from '../../src/disk/lift.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import type { Ledger } from './ledger.ts';
import { anyPatience, type Post, type Work } from './post.ts';

export type Prize =
  /** Compare-and-set arm; null: only if nothing holds. */
  | { readonly arm: { readonly expectGeneration: string | null } }
  | { readonly lift: { readonly id: string } }
  /** Everyone's, if this is the generation. */
  | { readonly lift: { readonly ifGeneration: string } };

export interface Round {
  readonly number: number;
  readonly prize: Prize;
  /** Process ids: whoever starts later sits this one out. */
  readonly takers: readonly number[];
  /** Nobody before this moment, in milliseconds since the epoch. */
  readonly startMs: number;
}

export interface Claim {
  readonly round: number;
  readonly won: boolean;
  /** `won`, `abandoned`, or the answer's reason. */
  readonly why: string;
  /** Of the hold that an arm placed. */
  readonly id?: string;
}

export const roundOf = (ledger: Ledger) => ledger.slate<Round>('round');
export const claimOf = (ledger: Ledger, pid: number) => ledger.slate<Claim>(`claim ${pid}`);
/** What a contender's hold says as its reason, so that the judge sees who committed in a round. */
export const markOf = (round: number): string => `round ${round}`;

export function contender({ orders, ledger, dice }: Post): Work {
  const { scope, role } = orders;
  const board = roundOf(ledger);
  const claims = claimOf(ledger, process.pid);
  let last = 0;
  let current: Round | null = null;

  const attempt = (disk: DiskPort, { number, prize }: Round): Claim => {
    const patience = anyPatience(dice);
    ledger.count('op contest');
    if ('arm' in prize) {
      const request = { ...prize.arm, holder: role.name, reason: markOf(number) };
      const answer = arm(disk, scope, { ...request, expiresAt: null, allow: null }, patience);
      return answer.armed
        ? { round: number, won: true, why: 'won', id: answer.id }
        : { round: number, won: false, why: answer.why };
    }
    const answer =
      'id' in prize.lift
        ? lift(disk, scope, prize.lift, {}, patience)
        : lift(disk, scope, { everyone: true }, prize.lift, patience);
    if (answer.lifted && answer.assisted === true) ledger.count('assisted');
    return { round: number, won: answer.lifted, why: answer.lifted ? 'won' : answer.why };
  };

  return {
    begin() {
      if (current !== null) claims.write({ round: current.number, won: false, why: 'abandoned' });
      current = null;
    },
    step(disk) {
      const round = board.read();
      if (round === null || round.number <= last || !round.takers.includes(process.pid)) {
        disk.pause(0);
        return;
      }
      last = round.number;
      current = round;
      while (Date.now() < round.startMs);
      claims.write(attempt(disk, round));
      current = null;
    },
  };
}
