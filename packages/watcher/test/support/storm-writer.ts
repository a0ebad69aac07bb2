/**
 * Changes sentinels as fast as it can in a separate process, so that a watcher looks in the middle
 * of changes. It does one round when asked, and reports when it is done.
 * Arguments: the root, and the names of the profiles.
 */
import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { isHeldAfter, type Order } from './storm-order.ts';

const [root = '', names = ''] = process.argv.slice(2);
const lanes = names.split(',');
const disk = nodeDisk();
const homeOf = (lane: string) => join(root, 'profiles', lane);

/** Each leaves the lane held for `reason`, or free. */
type Burst = (home: string, reason: string, held: boolean) => void;

const bodyOf = (reason: string) => JSON.stringify({ reason });

/** Long enough for a look now and then, so that one takes place between any two changes. */
const dawdle = (step: number): void => {
  const until = performance.now() + (step % 4) / 10;
  while (performance.now() < until);
};

const byRename: Burst = (home, reason, held) => {
  const [draft, sentinel] = [join(home, 'draft'), join(home, 'ESTOP')];
  for (let toggle = 0; toggle < 4; toggle++) {
    writeFileSync(draft, bodyOf(toggle === 3 ? reason : `${reason}.${toggle}`));
    renameSync(draft, sentinel);
    dawdle(Number(reason) + toggle);
    if (toggle % 2 === 0 || (toggle === 3 && !held)) unlinkSync(sentinel);
  }
};

const inPlace: Burst = (home, reason, held) => {
  const sentinel = join(home, 'ESTOP');
  writeFileSync(sentinel, '');
  rmSync(sentinel);
  for (const text of [`${reason}.0`, `${reason}.1`, reason]) {
    writeFileSync(sentinel, bodyOf(text));
    dawdle(Number(reason));
  }
  if (!held) rmSync(sentinel);
};

const byLibrary: Burst = (home, reason, held) => {
  for (const again of [`${reason}.0`, `${reason}.1`]) {
    arm(disk, home, { reason: again });
    lift(disk, home, { everyone: true });
  }
  if (held) arm(disk, home, { reason });
  else rmSync(join(home, 'ESTOP'), { force: true });
};

/** Moved away, deleted, and made again with its sentinel at once. */
const otherFolder: Burst = (home, reason, held) => {
  renameSync(home, `${home}-moved`);
  mkdirSync(home);
  rmSync(`${home}-moved`, { recursive: true });
  writeFileSync(join(home, 'ESTOP'), bodyOf(reason));
  if (!held) unlinkSync(join(home, 'ESTOP'));
};

const BURSTS = [byRename, inPlace, byLibrary] as const;

/** Another folder makes a watcher look at everything, and so hides what it missed elsewhere. */
const burstOf = (round: number, at: number): Burst =>
  round % 8 === 0 ? otherFolder : (BURSTS[(round + at) % BURSTS.length] ?? byRename);

const ORDERS: { readonly [Does in Order['does']]: (round: number) => void } = {
  toggle(round) {
    for (const [at, lane] of lanes.entries()) {
      const burst = burstOf(round, at);
      const home = homeOf(lane);
      rmSync(join(home, 'ESTOP'), { force: true });
      burst(home, String(round), isHeldAfter(round, at));
    }
  },
  make(round) {
    for (const [at, lane] of lanes.entries()) {
      mkdirSync(homeOf(lane));
      // Some are armed as the command does it; all of them at once.
      if (at % 2 === 0) writeFileSync(join(homeOf(lane), 'ESTOP'), bodyOf(String(round)));
      else arm(disk, homeOf(lane), { reason: String(round) });
    }
  },
  remove() {
    for (const lane of lanes) rmSync(homeOf(lane), { recursive: true });
  },
};

process.on('message', ({ does, round }: Order) => {
  ORDERS[does](round);
  process.send?.('done');
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
