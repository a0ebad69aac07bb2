/**
 * The catch-up sweep: runs each missed job once, no matter how many of its runs were missed.
 * Which jobs were missed is known only to the author's records.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { servedProfile } from './served-profile.ts';

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
  /** Called after an automatic sweep. Without it, failed jobs are an uncaught error. */
  readonly onSwept?: (swept: Swept<Job>) => void;
}

type Missed<Job> = Iterable<Job> | AsyncIterable<Job>;

export interface Swept<Job> {
  readonly ran: readonly Job[];
  readonly failed: readonly { readonly job: Job; readonly error: unknown }[];
  /** true: paused before or during the sweep. Missed jobs wait for the next lift. */
  readonly held: boolean;
}

export interface MisfireDoor<Job> {
  /**
   * Runs the missed jobs; asks the gate before the first and before each job. Calls during a sweep get
   * the promise of that sweep. Rejects with what `missed` throws. A failed job does not stop the others.
   */
  sweep(): Promise<Swept<Job>>;
  /** Stops automatic sweeps. A sweep under way continues. */
  close(): void;
}

/**
 * Also sweeps automatically: at start, and after each lift once `resumeAfterMs` has passed. Throws
 * PROFILE_UNKNOWN if the gate serves several profiles and `profile` names none of them.
 */
export function misfireDoor<Job>(gate: Gate, options: MisfireOptions<Job>): MisfireDoor<Job> {
  const { missed, start, onSwept } = options;
  const profile = servedProfile(gate, options.profile);
  const mayStart = () => gate.dispatch('cron-misfire', profile);
  let underWay: Promise<Swept<Job>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isNext = false;
  let held = true;
  let closed = false;

  const run = async (): Promise<Swept<Job>> => {
    const ran: Job[] = [];
    const failed: { job: Job; error: unknown }[] = [];
    if (!mayStart()) return { ran, failed, held: true };
    for await (const job of await missed()) {
      if (!mayStart()) return { ran, failed, held: true };
      try {
        await start(job);
        ran.push(job);
      } catch (error) {
        failed.push({ job, error });
      }
    }
    return { ran, failed, held: false };
  };

  const runAlone = async (): Promise<Swept<Job>> => {
    try {
      const swept = await run();
      if (swept.held && !held) sweepIn(ASK_AGAIN_MS);
      return swept;
    } finally {
      underWay = undefined;
    }
  };

  const sweep = (): Promise<Swept<Job>> => {
    underWay ??= runAlone();
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
    if (change.profile !== profile || change.engaged === held) return;
    held = change.engaged;
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
