/**
 * The catch-up sweep: runs each missed job once, no matter how many of its runs were missed.
 * Which jobs were missed is known only to the author's records.
 */
import type { MissedChoice } from '@fleet-estop/sentinel-core';
import type { Gate } from '../gate/gate.ts';
import { logWarning } from '../gate/gate-log.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { servedProfile } from './served-profile.ts';
import { waitForStart } from './wait-for-start.ts';

/** The longest delay of a Node timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * A very short pause can stop a sweep without causing a change event, and then no lift event follows.
 * Asking again costs a few `lstat`s.
 */
const ASK_AGAIN_MS = 1_000;

export interface MisfireOptions<Job> {
  readonly profile?: string;
  /** The overdue jobs, each once. Called for every sweep. */
  readonly missed: () => Missed<Job> | Promise<Missed<Job>>;
  /** Runs one job and records that it ran. Until it is recorded, the job stays missed. */
  readonly start: (job: Job) => void | Promise<void>;
  /**
   * Records that a missed job is not made up for, because the lift said so. Without it, a skipped job stays
   * in the author's records, and the next sweep runs it.
   */
  readonly skip?: (job: Job) => void | Promise<void>;
  /**
   * Decides after a lift with `--missed ask`. null: nobody has decided yet. Without it, and after null,
   * nothing is run or skipped until `sweep` is called with a decision.
   */
  readonly onAsk?: () => Decision | null | Promise<Decision | null>;
  /** Called after an automatic sweep. Without it, failed jobs are an uncaught error. */
  readonly onSwept?: (swept: Swept<Job>) => void;
}

/** What becomes of missed jobs. */
type Decision = 'skip' | 'catch-up';

type Missed<Job> = Iterable<Job> | AsyncIterable<Job>;

export interface Swept<Job> {
  readonly ran: readonly Job[];
  readonly failed: readonly { readonly job: Job; readonly error: unknown }[];
  /**
   * true: paused before or during the sweep, or closed while it waited for its turn. Missed jobs wait for the
   * next lift.
   */
  readonly held: boolean;
  /** After a lift with `--missed skip`, or that decision: the jobs that were skipped. */
  readonly skipped?: readonly Job[];
  /** true: the lift said `ask`, and nobody has decided yet. Nothing was run or skipped. */
  readonly undecided?: true;
}

export interface MisfireDoor<Job> {
  /**
   * Runs the missed jobs; asks the gate before the first and before each job, and waits for its turn where
   * `resumeRate` says "not yet". Calls during a sweep get the promise of that sweep. Rejects with what
   * `missed` throws. A failed job does not stop the others. A lift with `--missed` is obeyed by the first
   * sweep after it that no pause ends; `decision` takes its place.
   */
  sweep(decision?: Decision): Promise<Swept<Job>>;
  /** Stops automatic sweeps. A sweep under way continues, unless it waits for its turn. */
  close(): void;
}

/**
 * Also sweeps automatically: at start, and after each lift once `resumeAfterMs` has passed. Throws
 * PROFILE_UNKNOWN if the gate serves several profiles and `profile` names none of them.
 */
export function misfireDoor<Job>(gate: Gate, options: MisfireOptions<Job>): MisfireDoor<Job> {
  const { missed, start, skip, onAsk, onSwept } = options;
  const profile = servedProfile(gate, options.profile);
  /** Logs the pause, if there is one, and takes no start. */
  const isHeld = (): boolean => {
    if (!gate.dispatch('cron-misfire', profile)) {
      return !gate.ask({ door: 'cron-misfire', profile }).admitted;
    }
    gate.returnStart(profile);
    return false;
  };
  const mayStart = () => gate.dispatch('cron-misfire', profile);
  let underWay: Promise<Swept<Job>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isNext = false;
  let held = true;
  let closed = false;
  /** What the last lift said, until a sweep has obeyed it. */
  let told: { readonly choice: MissedChoice; readonly holds: readonly string[] } | null = null;
  /** The ids of the holds that were lifted since the last change to free. */
  let lifted: string[] = [];

  const skipAll = async (holds: readonly string[]): Promise<Swept<Job>> => {
    const skipped: Job[] = [];
    const failed: { job: Job; error: unknown }[] = [];
    for await (const job of await missed()) {
      try {
        await skip?.(job);
        // Without it the next sweep runs the job, so no record may say that it was skipped.
        if (skip !== undefined) gate.recordSkipped('cron-misfire', holds, profile);
        skipped.push(job);
      } catch (error) {
        failed.push({ job, error });
      }
    }
    if (skip === undefined && skipped.length > 0) {
      const message = `cron-misfire skips ${skipped.length} missed jobs, as the lift said; this gateway cannot record it, so its next sweep runs those that are still overdue, and no receipt is left`;
      logWarning(gate.log, { door: 'cron-misfire', profile, skipped: skipped.length }, message);
    }
    return { ran: [], failed, held: false, skipped };
  };

  const decide = async (): Promise<Decision | null> => {
    if (told?.choice !== 'ask') return told?.choice ?? 'catch-up';
    const decision = (await onAsk?.()) ?? null;
    if (decision === null) {
      const message = 'cron-misfire: the lift said `ask`, so missed jobs wait for a decision';
      logWarning(gate.log, { door: 'cron-misfire', profile }, message);
    }
    return decision;
  };

  const run = async (given: Decision | undefined): Promise<Swept<Job>> => {
    if (isHeld()) return { ran: [], failed: [], held: true };
    const obeyed = told;
    const decision = given ?? (await decide());
    if (decision === null) return { ran: [], failed: [], held: false, undecided: true };
    const swept = await (decision === 'skip' ? skipAll(obeyed?.holds ?? []) : catchUp(obeyed));
    // After a pause in between, the rest waits for the next lift, as this one said.
    if (!swept.held && told === obeyed) told = null;
    return swept;
  };

  const catchUp = async (obeyed: typeof told): Promise<Swept<Job>> => {
    // What a later lift says about the jobs that still wait is for the sweep after that lift.
    const isOver = () => closed || told !== obeyed;
    const comesToItsTurn = () => waitForStart(gate, 'cron-misfire', profile, isOver);
    const ran: Job[] = [];
    const failed: { job: Job; error: unknown }[] = [];
    for await (const job of await missed()) {
      if (!mayStart() && !(await comesToItsTurn())) return { ran, failed, held: true };
      try {
        await start(job);
        ran.push(job);
      } catch (error) {
        failed.push({ job, error });
      }
    }
    return { ran, failed, held: false };
  };

  const runAlone = async (given: Decision | undefined): Promise<Swept<Job>> => {
    try {
      const swept = await run(given);
      if (swept.held && !held) sweepIn(ASK_AGAIN_MS);
      return swept;
    } finally {
      underWay = undefined;
    }
  };

  const sweep = (decision?: Decision): Promise<Swept<Job>> => {
    underWay ??= runAlone(decision);
    return underWay;
  };

  /** Nobody awaits it: a rejection is an uncaught error on purpose. */
  const sweepByItself = async (): Promise<void> => {
    if (isNext) return;
    isNext = true;
    // A sweep under way read the records before this lift. Its caller handles what it throws.
    await underWay?.catch(() => {});
    isNext = false;
    if (closed) return;
    const swept = await sweep();
    if (onSwept !== undefined) return onSwept(swept);
    if (swept.failed.length === 0) return;
    const errors = swept.failed.map(({ error }) => error);
    throw new AggregateError(errors, `${errors.length} missed jobs of \`${profile}\` failed`);
  };

  const sweepIn = (ms: number): void => {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => void sweepByItself(), Math.min(ms, MAX_TIMER_MS));
    timer.unref();
  };

  const unask = askAtEachPause(gate, 'cron-misfire', profile);
  const forget = gate.onChange((change) => {
    if (change.profile !== profile) return;
    lifted.push(...change.ended.filter(({ by }) => by === 'lifted').map(({ id }) => id));
    if (change.engaged === held) return;
    held = change.engaged;
    if (!held) {
      if (change.missed !== null) told = { choice: change.missed, holds: lifted };
      lifted = [];
    }
    if (held) clearTimeout(timer);
    else sweepIn(change.resumeAfterMs);
  });

  return {
    sweep,
    close() {
      closed = true;
      forget();
      unask();
      clearTimeout(timer);
    },
  };
}
