/**
 * `fleet status --watch`: shows the state whenever it changes, until it is interrupted or the reader
 * closes stdout. Showing a state is `display.ts`; the gateways come from `listen.ts`.
 */
import {
  type ChangeWatch,
  FleetError,
  type WatchTargets,
  watchForChanges,
} from '@fleet-estop/sentinel-core';
import { type Answer, writtenAnswer } from '../../cli/answer.ts';
import type { Delivery } from '../../cli/deliver.ts';
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import { probeReader } from '../../cli/reader-gone.ts';
import { watchTargetsOf } from '../../fleet/watch-targets.ts';
import type { NotReached } from '../../watcher-client/request.ts';
import type { ChangedSinceAsked, WatcherAnswer } from '../../watcher-client/watched.ts';
import { changeTimes } from './change-times.ts';
import { type DisplayOptions, displayOf } from './display.ts';
import type { StatusFacts } from './facts.ts';
import { type Listening, listen } from './listen.ts';

export interface WatchOptions extends DisplayOptions {
  /** Reads the disk only. Throws FleetError if the state cannot be shown. */
  readonly read: (nowMs: number) => StatusFacts;
  readonly withAnswer: (
    facts: StatusFacts,
    answer: WatcherAnswer | NotReached,
    changedSinceAsked: ChangedSinceAsked,
  ) => StatusFacts;
  readonly exitOf: (facts: StatusFacts) => ExitCode;
}

const TICK_MS = 1000;
/** How long a folder may be missing while it is replaced, before the watch ends with an error. */
const GRACE_MS = 1000;

export function watchStatus(options: WatchOptions): Promise<Answer> {
  const { read, withAnswer, exitOf } = options;
  // A mistaken selection is refused before anything is shown.
  let ofDisk = read(Date.now());
  const changes = changeTimes();
  changes.see(ofDisk, performance.now());
  return new Promise((resolve, reject) => {
    const display = displayOf(options);
    let facts: StatusFacts | null = null;
    let exit: ExitCode = EXIT.done;
    let shown = '';
    let failingSince: number | null = null;
    let targets: WatchTargets = { scopes: [], deadlineMs: null };
    let done = false;
    let watch: ChangeWatch | undefined;
    let ticker: NodeJS.Timeout | undefined;
    let stopProbing: (() => void) | undefined;

    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      watch?.close();
      listening.close();
      clearInterval(ticker);
      stopProbing?.();
      process.off('SIGINT', onInterrupt);
      for (const signal of REPAINTING) process.off(signal, tick);
      display.close();
      settle();
    };
    const fail = (error: unknown): void => finish(() => reject(error));
    const onInterrupt = (): void => finish(() => resolve(writtenAnswer(EXIT.done)));
    const onDelivery = (delivery: Delivery): void => {
      if (delivery === 'whole') return;
      const notices =
        delivery === 'reader-gone'
          ? []
          : [`the answer could not be written to stdout: ${delivery}`];
      // A success that could not be written is not reported as success.
      const code = exit === EXIT.done && notices.length > 0 ? EXIT.unreadable : exit;
      finish(() => resolve(writtenAnswer(code, notices)));
    };

    const look = (): WatchTargets => {
      if (done) return targets;
      const nowMs = Date.now();
      try {
        ofDisk = read(nowMs);
        // Always at first, because the first request had a short timeout.
        if (changes.see(ofDisk, performance.now()) || facts === null) listening.askSoon();
        const askedMs = listening.askedMs();
        facts = withAnswer(ofDisk, listening.answer(), (profileState) =>
          changes.isSince(profileState, askedMs),
        );
        exit = exitOf(facts);
        failingSince = null;
        targets = watchTargetsOf(ofDisk.session, [ofDisk.root, ...ofDisk.profileStates], null);
        const state = display.keyOf(facts);
        if (state !== shown) {
          shown = state;
          onDelivery(display.show(facts));
          if (!done) stopProbing ??= probeReader(onDelivery);
        }
      } catch (error) {
        failingSince ??= performance.now();
        const isLasting = performance.now() - failingSince >= GRACE_MS;
        if (isLasting || !(error instanceof FleetError)) fail(error);
        targets = { ...targets, deadlineMs: nowMs + GRACE_MS };
      }
      return targets;
    };

    function tick(): void {
      if (facts !== null && display.tick !== null) onDelivery(display.tick(facts));
    }

    const listening: Listening = listen({
      root: ofDisk.session.root.root,
      fleet: () => ofDisk,
      // The answer may be about a change on disk whose notification was lost.
      onAnswer: () => void look(),
      failed: fail,
    });
    process.on('SIGINT', onInterrupt);
    const begin = async (): Promise<void> => {
      await listening.begun;
      if (done) return;
      if (display.tick !== null) ticker = setInterval(tick, TICK_MS);
      for (const signal of REPAINTING) process.on(signal, tick);
      watch = watchForChanges(look);
      // The first look runs inside `watchForChanges`, before there is anything to close.
      if (done) watch.close();
    };
    begin().catch(fail);
  });
}

/** After these signals, the terminal must be repainted. */
const REPAINTING = ['SIGWINCH', 'SIGCONT'] as const;
