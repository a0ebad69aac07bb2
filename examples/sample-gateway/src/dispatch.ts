/**
 * Dispatches cards: claims and prepares a card, asks the gate again, and starts a worker process. While
 * paused it starts none, but still runs housekeeping.
 * Cards and their moves are `board.ts`.
 */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Gate, type KanbanDoor, kanbanDoor, type WorkInHand } from '@fleet-estop/gateway';
import type { Board, Card } from './board.ts';
import type { Log } from './log.ts';

export interface Dispatcher {
  readonly door: KanbanDoor<Claimed, number>;
  /** Process ids of the workers, by card id. */
  workers(): ReadonlyMap<string, number>;
}

interface Claimed {
  readonly card: Card;
  readonly inHand: WorkInHand;
}

const MAX_WORKERS = 4;
const KEPT_DONE = 100;
const PREPARE_MS = 60_000;
const WORKER = fileURLToPath(new URL('../dist/worker.js', import.meta.url));
const run = promisify(execFile);

export function openDispatcher(gate: Gate, board: Board, stepMs: number, log: Log): Dispatcher {
  const workers = new Map<string, number>();

  /** Begins in the register first, so that only one of two gateways of this home gets the card. */
  async function claim(): Promise<Claimed | null> {
    if (workers.size >= MAX_WORKERS) return null;
    for (const id of board.list('todo')) {
      const inHand = gate.begin({ door: 'kanban', id });
      if (inHand === null) continue;
      const card = board.move(id, 'todo', 'doing') ? board.read('doing', id) : null;
      if (card === null) {
        // The card was removed, or is invalid: an invalid one is moved to `failed`.
        board.move(id, 'doing', 'failed');
        inHand.end();
        continue;
      }
      const claimed = { card, inHand };
      await prepare(claimed);
      return claimed;
    }
    return null;
  }

  /** Runs `board/prepare`, if it exists, to prepare a card, for example with a checkout. */
  async function prepare({ card, inHand }: Claimed): Promise<void> {
    const script = join(board.folder, 'prepare');
    if (!isExecutable(script)) return;
    try {
      await run(script, [card.id], { cwd: board.folder, timeout: PREPARE_MS });
    } catch (error) {
      board.fail(card.id);
      inHand.end();
      throw new Error(`\`${script}\` failed for card \`${card.id}\``, { cause: error });
    }
  }

  function start({ card, inHand }: Claimed): number {
    const words = [board.folder, card.id, String(card.steps), String(stepMs)];
    const worker = spawn(process.execPath, [WORKER, ...words], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    let ended = false;
    const end = (why: object): void => {
      if (ended) return;
      ended = true;
      workers.delete(card.id);
      // A worker moves its card only when it has finished.
      if (board.read('doing', card.id) !== null) {
        board.fail(card.id);
        log('a worker failed', { card: card.id, ...why });
      }
      inHand.end();
    };
    worker.once('error', (error) => end({ error: String(error) }));
    worker.once('exit', (code, signal) => end({ code, signal }));
    worker.stdin.on('error', () => {});
    const { pid } = worker;
    if (pid === undefined || !inHand.follow(pid)) {
      worker.kill();
      throw new Error(`no worker could be started for card \`${card.id}\``);
    }
    workers.set(card.id, pid);
    // Only after `follow`: if the gateway is killed before this line, the worker ends without working.
    worker.stdin.end('go\n');
    return pid;
  }

  /** A card in `doing` without work in hand was cut off. It goes back without a failure mark. */
  function housekeeping(): void {
    for (const id of board.list('doing')) {
      const inHand = gate.begin({ door: 'kanban', id });
      if (inHand === null) continue;
      if (board.move(id, 'doing', 'todo'))
        log('a card was cut off and moved back to todo', { card: id });
      inHand.end();
    }
    board.tidy(KEPT_DONE);
  }

  const door = kanbanDoor<Claimed, number>(gate, {
    housekeeping,
    claim,
    spawn: start,
    giveBack({ card, inHand }) {
      board.move(card.id, 'doing', 'todo');
      inHand.end();
      log('a pause began between claim and start: the card was given back', { card: card.id });
    },
  });
  return { door, workers: () => workers };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
