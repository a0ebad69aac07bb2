/**
 * One operation in a process of its own, which waits for a word on standard input before it begins:
 * `node one-operation.mjs OPERATION DIR JSON`. Prints its answer as one line of JSON. With a number as
 * a fourth argument it has only so many file descriptors left while it works; `check-twice` has all of
 * them again at its second look.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';

const [operation = '', dir = '', text = '{}', left] = process.argv.slice(2);
const disk = nodeDisk();
const operations: Readonly<Record<string, (argument: never) => unknown>> = {
  arm: (request) => arm(disk, dir, request),
  lift: (selection) => lift(disk, dir, selection),
  check: () => check(disk, dir),
  'check-twice': () => {
    const first = check(disk, dir);
    giveBack();
    return [first, check(disk, dir)];
  },
};

writeSync(1, 'ready\n');
readSync(0, Buffer.alloc(1));
const taken: number[] = [];
try {
  while (left !== undefined) taken.push(openSync('/dev/null', 'r'));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
}
giveBack(Number(left ?? 0));
const answer = operations[operation]?.(JSON.parse(text) as never);
giveBack();
writeSync(1, `${JSON.stringify(answer)}\n`);

function giveBack(count = taken.length): void {
  for (const fd of taken.splice(0, count)) closeSync(fd);
}
