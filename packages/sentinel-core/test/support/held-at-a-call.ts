/**
 * One operation in a process that stops for a word at one system call:
 * `node held-at-a-call.mjs OPERATION DIR JSON`. Owners look dead to it. It stops
 *
 * - an `arm`: inside its `link` of a pin, when the folder has been resolved and nothing is linked yet,
 *   as a kernel may do that is interrupted there;
 * - a `lift`: before it renames the sentinel away.
 *
 * Right after that call it is killed by its own hand.
 */
import { constants, linkSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { arm } from '../../src/disk/arm.ts';
import { lift } from '../../src/disk/lift.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import type { DiskPort } from '../../src/disk/port.ts';

const [operation = '', dir = '', text = '{}'] = process.argv.slice(2);
const disk = nodeDisk();

function stopForAWord(): void {
  writeSync(1, 'stopped\n');
  readSync(0, Buffer.alloc(1));
}

const port: DiskPort = {
  ...disk,
  stale: () => true,
  link(from, to) {
    if (operation !== 'arm' || !basename(to).startsWith('prev:')) return disk.link(from, to);
    const folder = openSync(dirname(to), constants.O_RDONLY | constants.O_DIRECTORY);
    stopForAWord();
    linkSync(from, `/proc/self/fd/${folder}/${basename(to)}`);
    process.kill(process.pid, 'SIGKILL');
  },
  rename(from, to) {
    const isRemoval = basename(to).startsWith('lift:');
    if (isRemoval) stopForAWord();
    disk.rename(from, to);
    if (isRemoval) process.kill(process.pid, 'SIGKILL');
  },
};

const argument = JSON.parse(text) as never;
if (operation === 'arm') arm(port, dir, argument);
else lift(port, dir, argument);
