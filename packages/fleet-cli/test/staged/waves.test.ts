/** Which profiles share a wave of a staged resume, and in which order waves come. */
import { describe, expect, it } from 'vitest';
import { planWaves, type Turn } from '../../src/verbs/resume/staged/waves.ts';

const turn = (name: string, group = ''): Turn => ({ names: [name], group });
const turns = (count: number): Turn[] =>
  Array.from({ length: count }, (_, at) => turn(`lane-${at}`));
const namesOf = (waves: readonly (readonly Turn[])[]) =>
  waves.map((wave) => wave.flatMap(({ names }) => names).join(' '));

describe('waves', () => {
  it.each([
    [{ profiles: 2 }, 5, [2, 2, 1]],
    [{ profiles: 9 }, 5, [5]],
    [{ percent: 10 }, 40, Array(10).fill(4)],
    [{ percent: 10 }, 3, [1, 1, 1]],
    [{ percent: 30 }, 5, [2, 2, 1]],
    [{ percent: 100 }, 5, [5]],
    [{ profiles: 3 }, 0, []],
  ])('of %j, of %i profiles, have these sizes: %j', (size, count, sizes) => {
    const waves = planWaves(turns(count), { size, canaries: [] });
    expect(waves.map(({ length }) => length)).toEqual(sizes);
    expect(waves.flat()).toEqual(turns(count));
  });

  it('begin with the canaries, in one wave, however many they are', () => {
    const waves = planWaves(turns(5), { size: { profiles: 1 }, canaries: ['lane-3', 'lane-1'] });
    expect(namesOf(waves)).toEqual(['lane-1 lane-3', 'lane-0', 'lane-2', 'lane-4']);
  });

  it('never mix two groups, and take the groups in their natural order', () => {
    const grouped = [turn('a', '10'), turn('b', '2'), turn('c', '10'), turn('d', '2')];
    const waves = planWaves(grouped, { size: { profiles: 3 }, canaries: [] });
    expect(namesOf(waves)).toEqual(['b d', 'a c']);
  });

  it('take profiles that share a folder together', () => {
    const shared = { names: ['a', 'link-to-a'], group: '' };
    const waves = planWaves([turn('b'), shared], {
      size: { profiles: 1 },
      canaries: ['link-to-a'],
    });
    expect(namesOf(waves)).toEqual(['a link-to-a', 'b']);
  });
});
