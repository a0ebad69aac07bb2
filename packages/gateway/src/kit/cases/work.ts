/**
 * What is asked of work in hand: a pause refuses new work, and ends none.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkDriver } from '../adapter.ts';
import { DoorFailure } from '../failure.ts';
import type { Case } from '../trial.ts';

const DOOR = 'work';
/** Milliseconds for which it is watched: a gateway that ends work hears of a pause sooner. */
const WATCHED_MS = 500;
const LOOK_MS = 25;

export const workCases = <Gateway>(start: WorkDriver<Gateway>): Case<Gateway>[] => [
  {
    door: DOOR,
    title: 'goes on through a pause, and ends as it should',
    async run({ gateway, fleet, fresh, patience }) {
      const work = await patience.answer(DOOR, () => start(gateway, fresh('work')));
      const mustRun = async (when: string): Promise<void> => {
        if (await patience.answer(DOOR, work.running)) return;
        throw new DoorFailure(
          DOOR,
          `work in hand had ended ${when}, before it was told to finish`,
          'let a pause refuse new work only: stop timers, and nothing that has begun',
        );
      };
      await mustRun('before any pause');
      fleet.arm('root');
      fleet.arm('profile');
      const endMs = performance.now() + WATCHED_MS;
      while (performance.now() < endMs) {
        await mustRun('during a pause');
        await delay(LOOK_MS);
      }
      if (await patience.answer(DOOR, work.finish)) return;
      throw new DoorFailure(
        DOOR,
        'work in hand did not end as it should while paused',
        'let it finish: its own replies, tools and records are not new work',
      );
    },
  },
];
