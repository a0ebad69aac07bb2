/**
 * A separate process that pauses and resumes a fleet repeatedly, and reports when each pause was
 * certainly in force. Arguments: the number of pauses, and the folders to pause in turn.
 */
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import type { Pause } from './processes.ts';

const [times = '0', ...folders] = process.argv.slice(2);
const disk = nodeDisk();
const nap = new Int32Array(new SharedArrayBuffer(4));
const HELD_MS = 2;
const FREE_MS = 1;

process.on('message', () => {
  const pauses: Pause[] = [];
  for (let at = 0; at < Number(times); at++) {
    const dir = folders[at % folders.length] ?? '';
    const armed = arm(disk, dir, { holder: `toggler-${at % 3}`, reason: `pause ${at}` });
    // Monotonic clock since boot, the same in all processes.
    const heldFrom = String(process.hrtime.bigint());
    if (!armed.armed) throw new Error(`pause ${at}: ${armed.why}`);
    Atomics.wait(nap, 0, 0, HELD_MS);
    const heldTo = String(process.hrtime.bigint());
    pauses.push({ heldFrom, heldTo });
    const lifted = lift(disk, dir, { id: armed.id });
    if (!lifted.lifted) throw new Error(`lift ${at}: ${lifted.why}`);
    Atomics.wait(nap, 0, 0, FREE_MS);
  }
  process.send?.(pauses);
});
process.on('disconnect', () => process.exit(0));
process.send?.([]);
