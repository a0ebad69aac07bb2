/** Who is asked at a sweep of a large fleet. */
import { expect, test } from 'vitest';
import { inTurn } from '../../src/observe/in-turn.ts';

const asked = (count: number, isDue: (at: number) => boolean): number[] =>
  Array.from({ length: count }, (_, at) => at).filter(isDue);

test('of a small fleet all are asked at every sweep', () => {
  const turns = inTurn();
  for (let sweep = 0; sweep < 3; sweep++) expect(asked(256, turns(256, true))).toHaveLength(256);
});

test('of a large one each is asked once in four sweeps', () => {
  const turns = inTurn();
  const sweeps = [0, 1, 2, 3].map(() => asked(1_000, turns(1_000, true)));
  expect(sweeps.map(({ length }) => length)).toEqual([250, 250, 250, 250]);
  expect(sweeps.flat().sort((a, b) => a - b)).toEqual(asked(1_000, () => true));
});

test('a look that is no sweep asks all of them', () => {
  expect(asked(1_000, inTurn()(1_000, false))).toHaveLength(1_000);
});
