/** A gateway that is killed between any two steps: its successor sees the correct state. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Death, diesOf, killAtTheEnd, startHolder } from './support/holders.ts';
import { fatesIn, folderOf, makeHome, opened, turn } from './support/homes.ts';

const begins = { does: 'begin', ids: ['s1'] } as const;
const ends = { does: 'begin-and-end', ids: ['s1'] } as const;

/** A successor begins and ends the same work, and nothing is left but empty owner folders. */
function succeed(home: string, cutOff: readonly (string | null)[]): void {
  const successor = opened(home);
  expect(successor.found.cutOff.map(({ id }) => id)).toEqual(cutOff);
  for (const folder of ['owners', 'claims']) {
    expect(readdirSync(join(folderOf(home), folder))).toEqual([]);
  }
  const claim = successor.begin(turn('s1'));
  expect(claim?.recorded).toBe(true);
  expect(claim?.end()).toBe(true);
  successor.close();
  expect(readdirSync(join(folderOf(home), 'claims'))).toEqual([]);
  expect(readdirSync(join(folderOf(home), 'owners'))).toEqual([]);
}

const before = (file: string, source: string): Death => ({ file, before: source });

test.each([
  ['a folder is prepared', before('fence.ts', 'own.write(join(staged, nameOf(name))')],
  ['it is put into its place', before('fence.ts', 'code = failureOf(() => move(home, staged')],
])('killed before %s, nothing was begun', async (_step, death) => {
  const home = makeHome();
  await diesOf(home, begins, death);
  expect(fatesIn(home)).toEqual([]);
  succeed(home, []);
});

test('killed before its caller knows that the work was begun, the work is reported as cut off', async () => {
  const home = makeHome();
  await diesOf(home, begins, before('open-register.ts', "one.recorded = why === '';"));
  expect(fatesIn(home)).toEqual([['s1', 'abandoned']]);
  succeed(home, ['s1']);
});

test('killed before it ends, the work is in hand; killed half-way, it has ended', async () => {
  const home = makeHome();
  const unlinks =
    'const code = failureOf(() => reach(home, join(place, nameOf(name)), unlinkSync));';
  await diesOf(home, ends, before('fence.ts', unlinks));
  expect(fatesIn(home)).toEqual([['s1', 'abandoned']]);
  succeed(home, ['s1']);
  await diesOf(
    home,
    ends,
    before('fence.ts', "if (code === '') failureOf(() => reach(home, place, rmdirSync"),
  );
  expect(fatesIn(home)).toEqual([]);
  expect(readdirSync(join(folderOf(home), 'claims'))).toHaveLength(1);
  succeed(home, []);
});

test('killed before it has said who it is, it leaves a folder that stands for nothing', async () => {
  const home = makeHome();
  await diesOf(home, begins, before('own-folder.ts', 'reach(home, next, (made) => renameSync'));
  expect(fatesIn(home)).toEqual([]);
  const hours = () => Date.now() + 2 * 3_600_000;
  opened(home, { now: hours }).close();
  succeed(home, []);
});

test('killed while it takes over, what it takes over is abandoned or free, and never both', async () => {
  const home = makeHome();
  for (const [source, fates] of [
    ['for (const entry of gone) {', [['s1', 'abandoned']]],
    ["if (code !== '' && code !== 'ENOENT') return code;", []],
  ] as const) {
    const dead = await startHolder(home);
    await dead.ask(begins);
    // Opened while the other lives, so that it meets the dead claim only when it begins.
    await diesOf(home, begins, before('fence.ts', source), () => dead.killed());
    expect(fatesIn(home)).toEqual(fates);
    succeed(
      home,
      fates.map(([id]) => id),
    );
  }
});

test('killed while it adopts, a worker’s work has exactly one owner at any step', async () => {
  const home = makeHome();
  const gateway = await startHolder(home);
  const { pids } = await gateway.ask({ does: 'work', ids: ['card-1'] });
  killAtTheEnd(pids);
  await gateway.killed();
  const adopts = 'const code = to === null';
  for (const source of [adopts, "if (to !== null && code === '') {"]) {
    await diesOf(home, begins, before('settle.ts', source));
    expect(fatesIn(home)).toEqual([['card-1', 'running']]);
  }
  const successor = opened(home);
  expect(successor.found).toMatchObject({ cutOff: [], adopted: [{ id: 'card-1', pid: pids[0] }] });
  expect(successor.count()).toBe(1);
  expect(existsSync(join(folderOf(home), 'owners', gateway.opened.owner))).toBe(false);
});
