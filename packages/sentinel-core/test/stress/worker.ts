/**
 * One process of the stress: takes its orders from the command line, works in its role, and dies
 * before some system call.
 * Who starts it, and starts another in its place, is `crew.ts`.
 */
import { writeSync } from 'node:fs';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { everyoneLifter, looker, recoverer, retirer } from './bystanders.ts';
import { contender } from './contender.ts';
import { diceOf } from './dice.ts';
import { Abandoned, type FaultyDisk, faultyDisk } from './faulty-disk.ts';
import { holder } from './holder.ts';
import { openLedger } from './ledger.ts';
import { phaseOf, type RoleKind } from './phases.ts';
import { type Orders, PATIENCE_MS, type Post, type Work } from './post.ts';

const WORK: Record<RoleKind, (post: Post) => Work> = {
  holder,
  everyone: everyoneLifter,
  retire: retirer,
  recover: recoverer,
  look: looker,
  contender,
};

/** Within how many counted calls each role drops everything: in some operation of its first few. */
const LAST_CALL: Record<RoleKind, number> = {
  holder: 40,
  everyone: 20,
  retire: 20,
  recover: 12,
  look: 1_000,
  contender: 40,
};
/** A killed process costs the start of another, which takes longer than many operations. */
const LONGER_BY_KILL = 2.5;

/** A retirement that dozes between its look and its rename is what foreign writers must survive. */
const DOZES = 0.02;
const RETIREMENT_DOZES = 0.3;

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const { kind, name } = orders.role;
const post: Post = {
  orders,
  ledger: openLedger(orders.ledger),
  dice: diceOf(`${orders.seed} ${orders.phase} ${name} ${orders.life}`),
};
const work = WORK[kind](post);
// Tells the parent that from now on a kill hits work, and not the start of Node.
writeSync(1, '.');

for (;;) {
  const disk = freshDisk();
  try {
    work.begin?.(disk);
    for (;;) {
      // A synchronous loop hears no signal and no closed channel: it has to ask.
      if (process.ppid !== orders.parent) process.exit();
      work.step(disk);
    }
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    disk.letGo();
    post.ledger.count(`abandoned ${kind}`);
  }
}

function freshDisk(): FaultyDisk {
  const soft = orders.mode === 'soft';
  return faultyDisk(nodeDisk({ patienceMs: PATIENCE_MS }), post.dice, {
    lastCall: post.dice.between(1, LAST_CALL[kind] * (soft ? 1 : LONGER_BY_KILL)),
    counted: kind === 'look' ? 'every-call' : 'changes',
    death: soft ? 'abandon' : 'kill',
    robsAtSight: soft,
    dozes: kind === 'retire' ? RETIREMENT_DOZES : DOZES,
    hardLinks: phaseOf(orders.phase).hardLinks,
    fsync: orders.fsync,
  });
}
