/**
 * The core's scheduler with the watcher's ways of noticing changes, and with the journal, whose
 * growth is no reason to look.
 * `choose.ts` chooses how changes are noticed.
 */
import {
  type Scheduler as CoreScheduler,
  type SchedulerHealth as CoreSchedulerHealth,
  type SchedulerOptions as CoreSchedulerOptions,
  type LookResult,
  type LookScope,
  type Notify,
  startScheduler as startCoreScheduler,
} from '@fleet-estop/sentinel-core';
import {
  type ChooseOptions,
  chooseNotifier,
  type Notices,
  noticesOf,
  type ObserveMode,
} from './choose.ts';
import { JOURNAL } from './fleet-folders.ts';

export interface SchedulerHealth extends Omit<CoreSchedulerHealth, 'polled'> {
  readonly mode: ObserveMode;
  /** What the mode means on this platform and these file systems. */
  readonly observing: {
    readonly notices: Notices;
    /** Number of polled folders. */
    readonly polled: number;
  };
}

export interface SchedulerOptions
  extends ChooseOptions,
    Pick<CoreSchedulerOptions, 'sweepMs' | 'swept'> {
  readonly mode: ObserveMode;
  /** The journal may have grown. */
  readonly journal: () => void;
}

export interface Scheduler extends Pick<CoreScheduler, 'lookAgain' | 'close'> {
  health(): SchedulerHealth;
  /** Applies changed settings. */
  use(options: Pick<SchedulerOptions, 'mode' | 'sweepMs'>): void;
}

/** Looks once before it returns, and then until it is closed. `look` must not throw. */
export function startScheduler(
  look: (lookScope: LookScope) => LookResult,
  options: SchedulerOptions,
): Scheduler {
  let { mode } = options;
  const notifier = (notify: Notify) =>
    chooseNotifier(
      mode,
      (dir, name) => (name === JOURNAL ? options.journal() : notify(dir, name)),
      options,
    );
  const { sweepMs, swept } = options;
  const scheduler = startCoreScheduler(look, {
    notifier,
    sweepMs,
    ...(swept === undefined ? {} : { swept }),
  });
  return {
    ...scheduler,
    health() {
      const { polled, ...health } = scheduler.health();
      return { ...health, mode, observing: { notices: noticesOf(mode), polled } };
    },
    use(next) {
      const isOther = mode !== next.mode;
      mode = next.mode;
      scheduler.use({ sweepMs: next.sweepMs, ...(isOther ? { notifier } : {}) });
    },
  };
}
