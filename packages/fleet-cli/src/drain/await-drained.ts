/**
 * Waits until every gateway of the selection has acknowledged and nothing is in hand, time is up, or the
 * hold ended. What is looked at is `draining.ts`, the judgement `judge.ts`.
 */
import { processOf } from '../watcher-client/account.ts';
import type { Awaited } from '../watcher-client/ack-snapshot.ts';
import { awaitAcknowledged, type WaitReport } from '../watcher-client/await-acknowledged.ts';
import { interruptible } from '../watcher-client/interruptible.ts';
import type { Draining } from './draining.ts';
import { type DrainLook, isAllQuiet, isAnswered, isServedAtAll, judgeDrain } from './judge.ts';
import { workOf } from './work.ts';

export interface DrainReport {
  readonly end:
    | 'drained'
    /** No gateway is connected or expected, and the registers have nothing in hand. */
    | 'nobody'
    /** Something that was to be drained is not held. */
    | 'undone'
    | 'time-up'
    | NodeJS.Signals;
  /** What is not held, as sentences. */
  readonly undone: readonly string[];
  readonly look: DrainLook;
  readonly excludesWedged: boolean;
  readonly waitedMs: number;
  readonly timeoutMs: number;
}

export interface DrainOptions {
  readonly root: string;
  readonly draining: Draining;
  /** 0: look once. */
  readonly timeoutMs: number;
  readonly excludesWedged: boolean;
  /** Errno: the profiles cannot be listed here. */
  readonly unlisted: string | null;
  /** Called each time the watcher becomes unreachable. */
  readonly unreached: (why: string, absent: boolean) => void;
  /** Called after each look. */
  readonly looked: (look: DrainLook) => void;
}

/**
 * How long one question about acknowledgements may wait for the last one, so that the registers are looked
 * at meanwhile.
 */
const SLICE_MS = 500;
/** Between two looks when only work is left. Never shorter than a look took. */
const PAUSE_MS = 250;

export async function awaitDrained(options: DrainOptions): Promise<DrainReport> {
  const { root, draining, timeoutMs, excludesWedged, unlisted } = options;
  const began = performance.now();
  const restMs = (): number => Math.max(0, began + timeoutMs - performance.now());
  // Between two questions nobody else listens for a signal.
  const waiting = interruptible();
  const unacknowledged = new Map<string, Awaited>();
  const toldUnreached = onceInARow(options.unreached);
  try {
    for (;;) {
      const askedAt = performance.now();
      const answer = await awaitAcknowledged({
        ...{ root, goal: draining, unlisted },
        timeoutMs: Math.min(restMs(), SLICE_MS),
        unreached: toldUnreached,
        stillWaiting: () => {},
      });
      if (answer.unreached === null) toldUnreached.reset();
      const lost = lostIn(answer, unacknowledged);
      const { snapshot, unreached, epoch, undone } = answer;
      // Read after the answer: work that began before an acknowledgement is in the register by then.
      const works = draining.homes().map(workOf);
      const look = judgeDrain({
        ...{ snapshot, unreached, epoch, works, lost, excludesWedged },
        meansAll: draining.meansAll,
      });
      const report = (end: DrainReport['end']): DrainReport => {
        const waitedMs = performance.now() - began;
        return { end, undone, look, excludesWedged, waitedMs, timeoutMs };
      };
      options.looked(look);
      const interruption = waiting.interruption() ?? signalIn(answer);
      if (interruption !== null) return report(interruption);
      if (answer.end === 'undone') return report('undone');
      if (isAllQuiet(look)) {
        if (isAnswered(look) && isServedAtAll(look)) return report('drained');
        if (answer.end === 'deserted') return report('nobody');
      }
      if (restMs() <= 0) return report('time-up');
      const tookMs = performance.now() - askedAt;
      await waiting.pause(Math.min(restMs(), Math.max(PAUSE_MS, tookMs)));
    }
  } finally {
    waiting.close();
  }
}

const signalIn = ({ end }: WaitReport): NodeJS.Signals | null =>
  end === 'SIGINT' || end === 'SIGTERM' ? end : null;

/**
 * Gateways that went away before they had acknowledged. They may still be there without their connection,
 * so they count until the end, or until they come back.
 */
function lostIn({ snapshot }: WaitReport, unacknowledged: Map<string, Awaited>): Awaited[] {
  if (snapshot === null) return [];
  const keyOf = (one: Awaited): string => JSON.stringify([processOf(one), one.profile]);
  const present = new Set(snapshot.serving.map(keyOf));
  for (const one of snapshot.serving) {
    if (one.ackStatus === 'acknowledged') unacknowledged.delete(keyOf(one));
    else unacknowledged.set(keyOf(one), one);
  }
  return [...unacknowledged]
    .filter(([key]) => !present.has(key))
    .map(([, one]) => ({ ...one, link: 'gone', ackStatus: 'gone' }));
}

/** Each question begins anew, and would say again what was said before. */
function onceInARow(tell: (why: string, absent: boolean) => void) {
  let told: boolean | null = null;
  const once = (why: string, absent: boolean): void => {
    if (told === null || (absent && !told)) tell(why, absent);
    told = absent;
  };
  return Object.assign(once, {
    reset: () => {
      told = null;
    },
  });
}
