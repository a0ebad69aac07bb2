/**
 * The door of a board: cards are dispatched while nothing holds, and the board is kept in order always.
 * Claim and spawn of one card are `two-step.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { servedProfile } from './served-profile.ts';
import { claimAndSpawn, type Steps } from './two-step.ts';

export interface Board<Card, Worker> extends Steps<Card, Worker> {
  readonly profile?: string;
  /** Reclaims stale cards, ages, archives: whatever starts no work. Runs while paused, too. */
  readonly housekeeping?: () => Promise<void> | void;
  /** Cards started in one tick. Default: as many as there are. */
  readonly mostPerTick?: number;
}

export interface BoardTick<Card, Worker> {
  readonly spawned: readonly { readonly card: Card; readonly worker: Worker }[];
  /** Claimed, and given back because a pause came before the spawn. */
  readonly givenBack: readonly Card[];
  /** Paused, before the first card or on the way. */
  readonly held: boolean;
}

export interface KanbanDoor<Card, Worker> {
  /**
   * Keeps house, then dispatches. One at a time: a tick under way is the answer to both callers.
   * Rejects with what the board's functions throw, and dispatches nothing after that.
   */
  tick(): Promise<BoardTick<Card, Worker>>;
}

export function kanbanDoor<Card, Worker>(
  gate: Gate,
  board: Board<Card, Worker>,
): KanbanDoor<Card, Worker> {
  const { housekeeping, mostPerTick = Infinity } = board;
  const profile = servedProfile(gate, board.profile);
  const applicant = { door: 'kanban', profile } as const;
  let underWay: Promise<BoardTick<Card, Worker>> | undefined;

  const run = async (): Promise<BoardTick<Card, Worker>> => {
    const spawned: { card: Card; worker: Worker }[] = [];
    await housekeeping?.();
    while (spawned.length < mostPerTick) {
      // A board that is polled is nobody who was refused: no receipts, and one line in the log.
      if (!gate.dispatch('kanban', profile)) return { spawned, givenBack: [], held: true };
      const step = await claimAndSpawn(gate, applicant, board);
      if (step.did === 'given-back') return { spawned, givenBack: [step.claimed], held: true };
      if (step.did === 'nothing') break;
      spawned.push({ card: step.claimed, worker: step.spawned });
    }
    return { spawned, givenBack: [], held: false };
  };

  gate.announce('kanban', profile);
  return {
    tick() {
      underWay ??= run().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}
