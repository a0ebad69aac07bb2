/**
 * The door of a board: cards are dispatched while nothing holds, and the board is kept in order always.
 * Claim and spawn of one card are `two-step.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { type BoardTick, BoardTickError } from './board-tick.ts';
import { servedProfile } from './served-profile.ts';
import { claimAndSpawn, GiveBackError, type Steps } from './two-step.ts';

export interface Board<Card, Worker> extends Steps<Card, Worker> {
  readonly profile?: string;
  /** Reclaims stale cards, ages, archives: whatever starts no work. Runs while paused, too. */
  readonly housekeeping?: () => Promise<void> | void;
  /** Cards started in one tick. Default: as many as there are. */
  readonly mostPerTick?: number;
}

export interface KanbanDoor<Card, Worker> {
  /**
   * Keeps house, then dispatches. One at a time: a tick under way is the answer to both callers.
   * Where a function of the board throws, it rejects with BOARD_TICK_FAILED, which tells what was
   * spawned before, and dispatches nothing after that.
   */
  tick(): Promise<BoardTick<Card, Worker>>;
}

export function kanbanDoor<Card, Worker>(
  gate: Gate,
  board: Board<Card, Worker>,
): KanbanDoor<Card, Worker> {
  // By name: a board may be an object of a class, whose functions a copy of it would not have.
  const { housekeeping, claim, spawn, giveBack, mostPerTick = Infinity } = board;
  const profile = servedProfile(gate, board.profile);
  const applicant = { door: 'kanban', profile } as const;
  let underWay: Promise<BoardTick<Card, Worker>> | undefined;

  const run = async (): Promise<BoardTick<Card, Worker>> => {
    const spawned: { card: Card; worker: Worker }[] = [];
    let claimed: Card | null | undefined = null;
    const steps = {
      async claim() {
        claimed = await claim();
        return claimed;
      },
      spawn,
      giveBack,
    };
    try {
      await housekeeping?.();
      while (spawned.length < mostPerTick) {
        claimed = null;
        // A board that is polled is nobody who was refused: no receipts, and one line in the log.
        if (!gate.dispatch('kanban', profile)) return { spawned, givenBack: [], held: true };
        const step = await claimAndSpawn(gate, applicant, steps);
        if (step.did === 'given-back') return { spawned, givenBack: [step.claimed], held: true };
        if (step.did === 'nothing') break;
        spawned.push({ card: step.claimed, worker: step.spawned });
      }
      return { spawned, givenBack: [], held: false };
    } catch (error) {
      const soFar = { spawned, givenBack: [], held: error instanceof GiveBackError };
      const left = claimed === null || claimed === undefined ? [] : [claimed];
      throw new BoardTickError<Card, Worker>(profile, soFar, left, error);
    }
  };

  askAtEachPause(gate, 'kanban', profile);
  return {
    tick() {
      underWay ??= run().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}
