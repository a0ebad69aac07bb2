/** Repeated reads: what is cached, and that a cached claim that no longer exists is never reported. */
import {
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registerMemory } from '../../src/in-flight/memory.ts';
import { readRegister } from '../../src/in-flight/read-register.ts';
import { startHolder } from './support/holders.ts';
import {
  claimOf,
  entriesOf,
  fates,
  fatesIn,
  folderOf,
  leave,
  makeHome,
  opened,
  turn,
} from './support/homes.ts';

const BEAT_MS = 5_000;
/** More reads than it takes until each claim is listed again. */
const MANY_LOOKS = 10;

/** Reads one heartbeat later each time. */
function looking(home: string) {
  let clockMs = 0;
  const memory = registerMemory(() => clockMs);
  return (afterMs = BEAT_MS) => {
    clockMs += afterMs;
    return readRegister(home, { memory });
  };
}

/** Overwrites the text of a claim in place, so that its folder does not change. */
function writeOver(home: string, id: string, newId: string): void {
  const [entry = ''] = entriesOf(home, id);
  writeFileSync(join(claimOf(home, id), entry), JSON.stringify({ door: 'turn', id: newId }));
}

test('a claim that is as it was is not read again, and for eight looks at most', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  const look = looking(home);
  for (let times = 0; times < 2; times++) look();
  writeOver(home, 's1', 'written over');
  const ids = Array.from({ length: MANY_LOOKS }, () => look().work[0]?.id);
  expect(ids.filter((id) => id === 's1').length).toBeGreaterThan(0);
  expect(ids.slice(0, 9)).toContain('written over');
});

test('what was listed within a tick of the clock that it would change by is listed again', () => {
  const home = makeHome();
  opened(home).begin(turn('s1'));
  const look = looking(home);
  for (let times = 0; times < MANY_LOOKS; times++) {
    writeOver(home, 's1', `changed ${times}`);
    expect(look(100).work).toMatchObject([{ id: `changed ${times}` }]);
  }
});

const CHANGES: readonly (readonly [string, (home: string) => void])[] = [
  ['ends', (home) => unlinkSync(join(claimOf(home, 's1'), entriesOf(home, 's1')[0] ?? ''))],
  ['ends, its folder included', (home) => rmSync(claimOf(home, 's1'), { recursive: true })],
  [
    'goes to another owner',
    (home) => {
      const [entry = ''] = entriesOf(home, 's1');
      const other = entry.replace(/\.\d+\.(\d+)\.\d+$/, '.77.$1.0');
      renameSync(join(claimOf(home, 's1'), entry), join(claimOf(home, 's1'), other));
    },
  ],
  ['gets a second entry', (home) => writeFileSync(join(claimOf(home, 's1'), 'of-nobody'), '')],
  [
    'makes way for a link',
    (home) => {
      renameSync(claimOf(home, 's1'), join(home, 'aside'));
      symlinkSync(join(home, 'aside'), claimOf(home, 's1'));
    },
  ],
  [
    'makes way for a file',
    (home) => {
      rmSync(claimOf(home, 's1'), { recursive: true });
      writeFileSync(claimOf(home, 's1'), '');
    },
  ],
  [
    'makes way for another folder of the same name',
    (home) => {
      rmSync(claimOf(home, 's1'), { recursive: true });
      mkdirSync(claimOf(home, 's1'));
      writeFileSync(join(claimOf(home, 's1'), 'of-nobody'), '');
    },
  ],
  ['goes with all others', (home) => rmSync(folderOf(home), { recursive: true })],
  ['goes with its home', (home) => rmSync(home, { recursive: true })],
  [
    'is joined by another',
    (home) => {
      opened(home).begin(turn('s3'));
    },
  ],
];

test.each(CHANGES)('a cached claim that %s is read as without a cache', (_, change) => {
  const home = makeHome();
  const register = opened(home);
  for (const id of ['s1', 's2']) register.begin(turn(id));
  const look = looking(home);
  for (let times = 0; times < 3; times++) expect(fates(look())).toHaveLength(2);
  waitForAnotherTick(claimOf(home, 's1'));
  change(home);
  for (let times = 0; times < MANY_LOOKS; times++) expect(look()).toEqual(readRegister(home));
});

test('whether a remembered claim runs is judged anew at each look', async () => {
  const home = makeHome();
  const holder = await startHolder(home);
  await holder.ask({ does: 'begin', ids: ['s1'] });
  const look = looking(home);
  for (let times = 0; times < 3; times++) expect(fates(look())).toEqual([['s1', 'running']]);
  await holder.killed();
  expect(fates(look())).toEqual([['s1', 'abandoned']]);
});

test('what is not running is read again, remembered or not: it may have ended since it was listed', () => {
  const home = makeHome();
  leave(home, 's1', { pids: 'pid:[1]' });
  const now = () => Date.now() + 3_600_000;
  let clockMs = 0;
  const memory = registerMemory(() => clockMs);
  const look = () => {
    clockMs += BEAT_MS;
    return readRegister(home, { memory, now });
  };
  for (let times = 0; times < 3; times++) look();
  writeOver(home, 's1', 'written over');
  expect(look().work).toMatchObject([{ id: 'written over', fate: 'unproven' }]);
});

test('a claim that is gone is forgotten, and listed when it comes back', () => {
  const home = makeHome();
  const register = opened(home);
  const look = looking(home);
  for (let times = 0; times < 3; times++) {
    const claim = register.begin(turn('s1'));
    for (let looks = 0; looks < 3; looks++) expect(fates(look())).toEqual(fatesIn(home));
    claim?.end();
    for (let looks = 0; looks < 3; looks++) expect(look().work).toEqual([]);
  }
});

test('that nothing stands in a folder is not remembered', () => {
  const [digest, folder] = ['00', { ino: 1, ctimeMs: 1 }];
  let clockMs = 0;
  const memory = registerMemory(() => clockMs);
  for (let times = 0; times < MANY_LOOKS; times++) {
    clockMs += BEAT_MS;
    memory.look();
    expect(memory.recall(digest, folder)).toBeUndefined();
    memory.keep(digest, folder, { empty: [digest], claims: [], unreadable: [] });
  }
});

/** Waits until a later change gets another change time. */
function waitForAnotherTick(beside: string): void {
  const probe = join(beside, '..', '..', 'probe');
  mkdirSync(probe);
  const made = lstatSync(probe).ctimeMs;
  while (lstatSync(probe).ctimeMs === made) utimesSync(probe, 1, 1);
  rmdirSync(probe);
}
