/** The command in a process whose wall clock is two hours ahead: it ends nobody's hold. */
import { describe, expect, it } from 'vitest';
import { aheadByHours, bodyOf, exists, inSeconds, makeFleet, place } from '../support/fleet.ts';

const holdersOf = (path: string): string[] =>
  bodyOf(path).holds.map(({ holder }: { holder: string }) => holder);

describe('a pause by such a process', () => {
  it('leaves the live hold of another holder standing, for itself and for everybody', ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'only Linux names its boot');
    const { run, json, sentinel } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy', '--ttl', '1h']);
    const wrong = aheadByHours(2);
    expect(run(['gate', '--', 'true'], wrong).code).toBe(75);
    expect(run(['pause', '--as', 'other'], wrong).code).toBe(0);
    expect(holdersOf(sentinel())).toEqual(['deploy', 'other']);
    expect(run(['resume', '--as', 'other'], wrong).code).toBe(7);
    expect(json(['status']).document).toMatchObject({ root: expect.anything() });
    expect(holdersOf(sentinel())).toEqual(['deploy']);
  });

  it('leaves it standing for everybody who knows better, where another tool wrote it', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), { generation: 'G', expires_at: inSeconds(3_600), reason: 'live' });
    expect(run(['pause', '--as', 'other'], aheadByHours(2)).code).toBe(0);
    expect(bodyOf(sentinel()).holds).toMatchObject([{ reason: 'live' }, { holder: 'other' }]);
  });
});

describe('a resume by such a process', () => {
  const live = () => ({ id: 'K', holder: 'deploy', expires_at: inSeconds(3_600) });

  it('leaves the live hold of another host, and says that it does', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), { holds: [live(), { id: 'M', holder: 'me' }] });
    const { code, stderr } = run(['resume', '--as', 'me'], aheadByHours(2));
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('an expired hold is still in the root'),
    });
    expect(holdersOf(sentinel())).toEqual(['deploy']);
  });

  it('of nothing of its own does not remove what it takes for expired', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { expires_at } = live();
    place(sentinel(), { expires_at, holds: [live()] });
    expect(run(['resume', '--as', 'me'], aheadByHours(2))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('(uncertain)'),
    });
    expect(exists(sentinel())).toBe(true);
    expect(run(['resume', '--everyone'], aheadByHours(2)).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });
});
