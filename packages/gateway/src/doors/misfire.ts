/**
 * The catch-up sweep: runs once what was missed, however often it was due meanwhile.
 * Which jobs those are is known to the author's own records, and only to them.
 */
import type { Gate } from '../gate/gate.ts';
import { askAtEachPause } from './at-each-pause.ts';
import { servedProfile } from './served-profile.ts';

/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * A sweep may be held up by a pause so short that nobody is told of it, and then no lift is told
 * either. Asking again costs a few `lstat`s.
 */
const ASK_AGAIN_MS = 1_000;

export interface MisfireOptions<Job> {
  readonly profile?: string;
  /** The jobs that are overdue by your records, each of them once. Asked anew for every sweep. */
  readonly missed: () => Missed<Job> | Promise<Missed<Job>>;
  /** Runs one, and records that it ran: until then it stays missed. */
  readonly start: (job: Job) => void | Promise<void>;
  /** After a sweep that nobody called for. Without it, what failed is an uncaught error. */
  readonly onSwept?: (swept: Swept<Job>) => void;
}

type Missed<Job> = Iterable<Job> | AsyncIterable<Job>;

export interface Swept<Job> {
  readonly ran: readonly Job[];
  readonly failed: readonly { readonly job: Job; readonly error: unknown }[];
  /** Paused, before it began or on the way: what is missed waits for the next lift. */
  readonly held: boolean;
}

export interface MisfireDoor<Job> {
  /**
   * Asks, and asks again before each job. One at a time: a sweep under way is the answer to both
   * callers. Rejects with what `missed` throws; a job that fails keeps no other from running.
   */
  sweep(): Promise<Swept<Job>>;
  /** No sweep begins by itself any more. One under way goes on. */
  close(): void;
}

/**
 * Sweeps by itself, too: at start, and after each lift when the wait is over that spreads the
 * catch-up of many gateways.
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

  /** What it rejects with is nobody's to catch, and so an uncaught error. */
  const sweepByItself = async (): Promise<void> => {
    if (isNext) return;
    isNext = true;
    // One under way has read the records before this lift. What it throws is told to whoever began it.
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
