/**
 * Runs one phase on one real folder: sets it up, lets the workers hammer it while the main process
 * watches, kills them all, recovers, and judges what is left.
 * What is watched meanwhile is `looks.ts`, `foreign.ts` and `contest.ts`.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { arm } from '../../src/disk/arm.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import { recover } from '../../src/disk/recover.ts';
import { DEFAULT_HOLDER } from '../../src/model/hold.ts';
import { holdContests } from './contest.ts';
import { type Crew, startCrew } from './crew.ts';
import { diceOf } from './dice.ts';
import { faultyDisk } from './faulty-disk.ts';
import { FOREIGN_DRAFT, writeForeign } from './foreign.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { lookOnce } from './looks.ts';
import { bookOf, remains } from './own-hold.ts';
import { PERMANENT, type Phase, type PhaseName, phaseOf } from './phases.ts';
import { type Mode, PATIENCE_MS } from './post.ts';
import type { PhaseReport } from './report.ts';
import type { Site } from './site.ts';

export interface RunOptions {
  readonly phase: PhaseName;
  /** On the file system that is to be tried. */
  readonly dir: string;
  readonly seconds: number;
  /** Goes on beyond its time until this many processes were killed, and one of every role. */
  readonly minKills?: number;
  readonly mode: Mode;
  readonly seed: string;
  readonly fsync?: boolean;
  /** The built worker; default: one of the sources as they are. */
  readonly worker?: string;
  readonly stopAtFirstViolation?: boolean;
  readonly signal?: AbortSignal;
}

const WATCHERS: Record<Phase['watch'], (site: Site) => Promise<void>> = {
  holders: watchHolders,
  foreign: writeForeign,
  contest: holdContests,
};

/** The main process is one of several on few processors: it must leave time to be interrupted in. */
const LOOKS_AT_ONCE = 10;

/** Where the books are kept: not what is tried, so the quickest file system there is. */
const LEDGERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const buildWorker = (): Promise<string> =>
  bundleFile(fileURLToPath(new URL('./worker.ts', import.meta.url)));

export async function runPhase(options: RunOptions): Promise<PhaseReport> {
  const { dir, mode, fsync = false, seed } = options;
  const phase = phaseOf(options.phase);
  const worker = options.worker ?? (await buildWorker());
  const scope = mkdtempSync(join(dir, 'fleet-stress-'));
  const ledgerDir = mkdtempSync(join(LEDGERS, 'fleet-stress-ledger-'));
  try {
    const ledger = openLedger(ledgerDir);
    const disk = mainDisk(phase, options);
    if (options.phase === 'keep') armPermanent(disk, scope);
    const orders = { scope, ledger: ledgerDir, phase: options.phase, mode, seed, fsync };
    const crew = startCrew({ worker, roles: phase.roles, orders, ledger });
    const running = clockOf(options, phase, ledger, crew);
    try {
      const dice = diceOf(`${seed} main`);
      const site: Site = { scope, phase: options.phase, ledger, dice, disk, crew, running };
      await WATCHERS[phase.watch](site);
    } finally {
      await crew.end();
    }
    const leftovers = conclude(phase, ledger, scope);
    return reportOf(options, ledger, crew.kills(), leftovers);
  } finally {
    rmSync(scope, { recursive: true, force: true });
    rmSync(ledgerDir, { recursive: true, force: true });
  }
}

/** How long a run may wait for its kills: only a machine that starts no processes takes longer. */
const MAX_WAIT_MS = 30_000;

function clockOf(
  { seconds, minKills = 0, signal, stopAtFirstViolation = false }: RunOptions,
  { roles }: Phase,
  ledger: Ledger,
  crew: Crew,
): () => boolean {
  const end = performance.now() + seconds * 1_000;
  const kinds = [...new Set(roles.map(({ kind }) => kind))];
  const killedEnough = () => {
    const kills = crew.kills();
    return total(kills) >= minKills && kinds.every((kind) => (kills[kind] ?? 0) > 0);
  };
  return () => {
    if (signal?.aborted === true) return false;
    if (stopAtFirstViolation && ledger.counted('violations') > 0) return false;
    const now = performance.now();
    return now < end || (minKills > 0 && now < end + MAX_WAIT_MS && !killedEnough());
  };
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((a, b) => a + b, 0);

function mainDisk({ hardLinks }: Phase, { mode, seed, fsync = false }: RunOptions): DiskPort {
  return faultyDisk(nodeDisk({ patienceMs: PATIENCE_MS }), diceOf(`${seed} disk`), {
    lastCall: Number.POSITIVE_INFINITY,
    counted: 'changes',
    death: 'abandon',
    robsAtSight: mode === 'soft',
    dozes: 0,
    hardLinks,
    fsync,
  });
}

function armPermanent(disk: DiskPort, scope: string): void {
  const { holder, userId } = PERMANENT;
  const answer = arm(disk, scope, { holder, expiresAt: null, allow: { userIds: [userId] } });
  if (!answer.armed) throw new Error(`the permanent hold could not be armed: ${answer.why}`);
}

async function watchHolders({ scope, phase, ledger, disk, running }: Site): Promise<void> {
  for (let round = 0; running(); round++) {
    for (let look = 0; look < LOOKS_AT_ONCE; look++)
      lookOnce({ scope, phase, ledger, disk, by: 'main' });
    // A creation without hard links that was cut off leaves an empty file, which nobody signed and
    // nobody would ever lift: from then on nothing would be created any more.
    if (phase === 'nolink' && round % 40 === 39) {
      const answer = lift(disk, scope, { holder: DEFAULT_HOLDER });
      if (answer.lifted) ledger.count('op lift-anonymous');
    }
    await setTimeout(2);
  }
}

/** Answers what lies beside ESTOP after a recovery by force. */
function conclude(phase: Phase, ledger: Ledger, scope: string): string[] {
  // All owners are dead, so whatever still looks alive is another process with the same id by now:
  // seen once, and taken for stale at the second sight.
  const disk = nodeDisk({ patienceMs: 0 });
  recover(disk, scope, { force: true });
  const { settled, why } = recover(disk, scope, { force: true });
  if (!settled) ledger.violation({ by: 'main', what: 'recovery did not settle', why });
  for (const { kind, name } of phase.roles) {
    if (kind === 'holder') bookOf(ledger, scope, name).verify(disk, 'after the last recovery');
  }
  const leftovers = readdirSync(scope).filter((name) => !['ESTOP', FOREIGN_DRAFT].includes(name));
  if (leftovers.length > 0) {
    ledger.violation({ by: 'main', what: 'left over after recovery', disk: remains(scope) });
  }
  return leftovers;
}

function reportOf(
  { phase, mode, dir, seconds, seed }: RunOptions,
  ledger: Ledger,
  kills: PhaseReport['kills'],
  leftovers: readonly string[],
): PhaseReport {
  const violations = ledger.violations();
  return {
    phase,
    mode,
    dir,
    fileSystem: fileSystemOf(dir),
    seconds,
    seed,
    kills,
    killed: total(kills),
    abandoned: ledger.countedUnder('abandoned '),
    midOperation: ledger.counted('mid-operation'),
    operations: ledger.countedUnder('op '),
    odd: ledger.countedUnder('odd '),
    looks: ledger.counted('looks'),
    looksAtHolds: ledger.counted('looks-at-holds'),
    aside: ledger.counted('aside'),
    unsettled: ledger.counted('unsettled'),
    lookedAgain: ledger.counted('looked-again'),
    rounds: ledger.countedUnder('round '),
    met: ledger.counted('met'),
    neverAtRest: ledger.counted('never-at-rest'),
    answers: { ...ledger.countedUnder('answer '), ...ledger.countedUnder('won by ') },
    leftovers,
    violations: ledger.counted('violations'),
    firstViolations: violations.slice(0, 5),
  };
}

function fileSystemOf(dir: string): string {
  const { type } = statfsSync(dir);
  const known: Record<number, string> = { 61267: 'ext4', 16914836: 'tmpfs' };
  return known[type] ?? `0x${type.toString(16)}`;
}
