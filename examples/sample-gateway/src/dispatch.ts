/**
 * Cards become work: claimed, made ready, asked about again, and given to a worker process. While
 * paused none is started, and the board is kept in order all the same.
 * What a card is, and how it moves, is `board.ts`.
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
  /** Process ids by card. */
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

  /** In the register first: of two gateways of this home, one gets the card. */
  async function claim(): Promise<Claimed | null> {
    if (workers.size >= MAX_WORKERS) return null;
    for (const id of board.list('todo')) {
      const inHand = gate.begin({ door: 'kanban', id });
      if (inHand === null) continue;
      const card = board.move(id, 'todo', 'doing') ? board.read('doing', id) : null;
      if (card === null) {
        // Taken off the board, or no card: then it is put aside.
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

  /** `board/prepare`, if there is one, makes ready what a card needs: a checkout, say. */
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
      // It moves its card when it is done, and at no other time.
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
    // Only now: were the gateway killed before this, the worker would end, and nothing be forgotten.
    worker.stdin.end('go\n');
    return pid;
  }

  /** What is in `doing` and in nobody's hand was cut off: nobody knows that it failed. */
  function housekeeping(): void {
    for (const id of board.list('doing')) {
      const inHand = gate.begin({ door: 'kanban', id });
      if (inHand === null) continue;
      if (board.move(id, 'doing', 'todo')) log('a card was cut off, and is back', { card: id });
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
      log('a pause came between claim and start: given back', { card: card.id });
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
