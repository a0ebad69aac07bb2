/**
 * The worker processes of one phase: starts them, kills some from outside, starts another for each
 * that died, and counts the deaths by role.
 * Most die by their own hand, before a chosen system call: `faulty-disk.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Dice, diceOf } from './dice.ts';
import type { Ledger } from './ledger.ts';
import type { Role, RoleKind } from './phases.ts';
import type { Orders } from './post.ts';

export interface Member {
  readonly role: Role;
  readonly pid: number;
  /** At work: a kill from now on hits an operation, not the start of Node. */
  readonly ready: boolean;
  readonly gone: boolean;
}

export interface Crew {
  members(): readonly Member[];
  kills(): Partial<Record<RoleKind, number>>;
  /** Kills all who are left, starts none anew, and waits until they are gone. */
  end(): Promise<void>;
}

interface CrewOptions {
  readonly worker: string;
  readonly roles: readonly Role[];
  readonly orders: Omit<Orders, 'role' | 'life' | 'parent'>;
  readonly ledger: Ledger;
}

/** The share of processes that are killed from outside early, wherever they are at that moment. */
const KILLED_EARLY = 0.3;
const EARLY_KILL_MS = 400;
/** The others, if they are still there: a role with little to change would hardly ever die. */
const LATE_KILL_MS = [1_000, 2_000] as const;
/** A worker that cannot even start would be started for ever. */
const MAX_UNFORESEEN = 10;
const MAX_STDERR = 4_000;

export function startCrew({ worker, roles, orders, ledger }: CrewOptions): Crew {
  const members = new Set<Hand>();
  const kills: Partial<Record<RoleKind, number>> = {};
  const dice = diceOf(`${orders.seed} crew`);
  let ending = false;
  let unforeseen = 0;
  let lives = 0;

  const start = (role: Role) => {
    const life = ++lives;
    const hand = startHand(worker, { ...orders, role, life, parent: process.pid }, dice);
    members.add(hand);
    hand.process.once('exit', (code, signal) => {
      hand.gone = true;
      members.delete(hand);
      if (ending) return;
      if (signal === 'SIGKILL') kills[role.kind] = (kills[role.kind] ?? 0) + 1;
      else {
        unforeseen += 1;
        const stderr = hand.stderr;
        ledger.violation({ by: role.name, what: 'ended unforeseen', code, signal, stderr });
      }
      if (unforeseen < MAX_UNFORESEEN) start(role);
    });
  };
  for (const role of roles) start(role);

  return {
    members: () => [...members],
    kills: () => ({ ...kills }),
    async end() {
      ending = true;
      const exits = [...members].map(
        (hand) => new Promise((resolve) => hand.process.once('exit', resolve)),
      );
      for (const hand of members) hand.process.kill('SIGKILL');
      await Promise.all(exits);
    },
  };
}

interface Hand extends Member {
  readonly process: ChildProcess;
  ready: boolean;
  gone: boolean;
  stderr: string;
}

function startHand(worker: string, orders: Orders, dice: Dice): Hand {
  const child = spawn(
    process.execPath,
    [worker, JSON.stringify(orders)],
    // Nothing that the parent's own runner needs.
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const hand: Hand = {
    process: child,
    role: orders.role,
    pid: child.pid ?? 0,
    ready: false,
    gone: false,
    stderr: '',
  };
  let kill: NodeJS.Timeout | undefined;
  child.stdout.once('data', () => {
    hand.ready = true;
    if (orders.mode === 'soft') return;
    const early = dice.chance(KILLED_EARLY);
    const afterMs = early ? dice.below(EARLY_KILL_MS) : dice.between(...LATE_KILL_MS);
    kill = setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  child.stderr.on('data', (text: Buffer) => {
    hand.stderr = (hand.stderr + text.toString()).slice(-MAX_STDERR);
  });
  child.once('exit', () => clearTimeout(kill));
  return hand;
}
