/**
 * The cases for work in hand: a pause does not end it, and it is recorded while it runs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readRegister } from '@fleet-estop/ledger';
import type { WorkDriver } from '../adapter.ts';
import type { Case } from '../case.ts';
import { DoorFailure } from '../failure.ts';

const DOOR = 'work';
/** Milliseconds to watch the work during a pause: a gateway that ends work would do so sooner. */
const WATCHED_MS = 500;
const LOOK_MS = 25;
/** Milliseconds to wait for the record. The gate writes it before the work runs. */
const RECORDED_MS = 1_000;

export const workCases = <Gateway>(start: WorkDriver<Gateway>): Case<Gateway>[] => [
  {
    door: DOOR,
    title: 'continues through a pause, and ends normally',
    async run({ gateway, fleet, fresh, patience }) {
      const work = await patience.answer(DOOR, () => start(gateway, fresh('work')));
      const mustRun = async (when: string): Promise<void> => {
        if (await patience.answer(DOOR, work.running)) return;
        throw new DoorFailure(
          DOOR,
          `work in hand had ended ${when}, before \`finish\` was called`,
          'let a pause refuse new work only: stop timers, but nothing that has begun',
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
        'work in hand did not end normally while paused',
        'let it finish: its own replies, tool calls and records are not new work',
      );
    },
  },
  {
    door: DOOR,
    title: 'is recorded while it runs, and no longer',
    async run({ gateway, fleet, fresh, patience }) {
      const onRecord = () => readRegister(fleet.home).work.length;
      const before = onRecord();
      const work = await patience.answer(DOOR, () => start(gateway, fresh('work')));
      if (!(await patience.until(() => onRecord() > before, RECORDED_MS))) {
        throw new DoorFailure(
          DOOR,
          'work runs but is not recorded in its home: no drain would wait for it',
          'begin it with `gate.begin`, `withWork` or `cronDoor(gate).run`, for the home that `start` got',
        );
      }
      await patience.answer(DOOR, work.finish);
      if (await patience.until(() => onRecord() <= before)) return;
      throw new DoorFailure(
        DOOR,
        'work has ended but is still recorded: a drain would wait for it for ever',
        'always call `end` of what `gate.begin` returned, even after an error; `withWork` does',
      );
    },
  },
];
