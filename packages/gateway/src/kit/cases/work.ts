/**
 * What is asked of work in hand: a pause refuses new work, and ends none; and it is on record.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readRegister } from '@fleet-estop/ledger';
import type { WorkDriver } from '../adapter.ts';
import type { Case } from '../case.ts';
import { DoorFailure } from '../failure.ts';

const DOOR = 'work';
/** Milliseconds for which it is watched: a gateway that ends work hears of a pause sooner. */
const WATCHED_MS = 500;
const LOOK_MS = 25;
/** Milliseconds. Work is recorded before it runs, if by the gate. */
const RECORDED_MS = 1_000;

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
  {
    door: DOOR,
    title: 'is on record while it runs, and no longer',
    async run({ gateway, fleet, fresh, patience }) {
      const onRecord = () => readRegister(fleet.home).work.length;
      const before = onRecord();
      const work = await patience.answer(DOOR, () => start(gateway, fresh('work')));
      if (!(await patience.until(() => onRecord() > before, RECORDED_MS))) {
        throw new DoorFailure(
          DOOR,
          'work runs, and is not on record in its home: no drain waits for it, and no restart spares it',
          'begin it with `gate.begin`, `withWork` or `cronDoor(gate).run`, for the home that `start` was given',
        );
      }
      await patience.answer(DOOR, work.finish);
      if (await patience.until(() => onRecord() <= before)) return;
      throw new DoorFailure(
        DOOR,
        'work has ended, and is still on record: a drain would wait for it for ever',
        'call `end` of what `gate.begin` answered, whatever the work did; `withWork` does',
      );
    },
  },
];
