/**
 * The door of a board: dispatches cards while nothing holds, and runs housekeeping always.
 * Claim and spawn of one card are `two-step.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { type BoardTick, BoardTickError } from './board-tick.ts';
import { servedProfile } from './served-profile.ts';
import { claimAndSpawn, GiveBackError, type Steps } from './two-step.ts';

export interface Board<Card, Worker> extends Steps<Card, Worker> {
  readonly profile?: string;
  /** Reclaims stale cards, archives and the like. Must start no work: it also runs while paused. */
  readonly housekeeping?: () => Promise<void> | void;
  /** Cards started in one tick, at most. Default: no limit. */
  readonly mostPerTick?: number;
}

export interface KanbanDoor<Card, Worker> {
  /**
   * Runs housekeeping, then dispatches. Calls during a tick get the promise of that tick. If a function
   * of the board throws, the tick stops and rejects with BOARD_TICK_FAILED, which lists what was spawned.
   */
  tick(): Promise<BoardTick<Card, Worker>>;
}

/** Throws PROFILE_UNKNOWN if the gate serves several profiles and `board.profile` names none of them. */
export function kanbanDoor<Card, Worker>(
  gate: Gate,
  board: Board<Card, Worker>,
): KanbanDoor<Card, Worker> {
  // By name: a board can be a class instance, and a spread copy would lose its methods.
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
        // Polling a board refuses no person: one log line, no receipts.
        if (!gate.dispatch('kanban', profile)) {
          if (!gate.ask(applicant).admitted) return { spawned, givenBack: [], held: true };
          if (gate.startsInMs(profile) > 0) {
            return { spawned, givenBack: [], held: false, notYet: true };
          }
          // The hold was lifted, or the turn came, in between.
          continue;
        }
        const step = await claimAndSpawn(gate, applicant, steps);
        if (step.did !== 'spawned') gate.returnStart(profile);
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
