/**
 * One operation in a process of its own, which waits for a word on standard input before it begins:
 * `node one-operation.mjs OPERATION DIR JSON`. Prints its answer as one line of JSON. With `starved` as
 * a fourth argument it has no file descriptor left while it works.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';

const [operation = '', dir = '', text = '{}', world] = process.argv.slice(2);
const disk = nodeDisk();
const operations: Readonly<Record<string, (argument: never) => unknown>> = {
  arm: (request) => arm(disk, dir, request),
  lift: (selection) => lift(disk, dir, selection),
  check: () => check(disk, dir),
};

writeSync(1, 'ready\n');
readSync(0, Buffer.alloc(1));
const taken: number[] = [];
try {
  while (world === 'starved') taken.push(openSync('/dev/null', 'r'));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
}
const answer = operations[operation]?.(JSON.parse(text) as never);
for (const fd of taken) closeSync(fd);
writeSync(1, `${JSON.stringify(answer)}\n`);
