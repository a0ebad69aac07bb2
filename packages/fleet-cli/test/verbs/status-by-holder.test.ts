/**
 * `fleet status --by holder`: the inventory of holds, and which of them somebody may have forgotten.
 */
import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inSeconds, makeFleet, place } from '../support/fleet.ts';

const DAY_S = 86_400;

/** With two holders, of whose holds some are older than a day. */
function heldFleet() {
  const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
  const engaged_at = inSeconds(-2 * DAY_S);
  const old = (id: string, more: object) => ({ id, holder: 'anna', engaged_at, ...more });
  place(fleet.sentinel('lane-a'), {
    holds: [old('h1', { reason: 'migration' }), old('h2', { holder: 'deploy', reason: 'x' })],
  });
  place(fleet.sentinel('lane-b'), {
    holds: [old('h3', { expires_at: inSeconds(DAY_S), reason: 'until tomorrow' })],
  });
  fleet.run(['pause', '-p', 'lane-c', '--as', 'deploy']);
  return fleet;
}

describe('every hold stands under whose it is', () => {
  it('with its scope, reason, age, what is left and who placed it', () => {
    const { stdout, code } = heldFleet().run(['status', '--by', 'holder']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 holds of 2 holders\nroot /);
    expect(stdout).toMatch(/^anna +lane-a +migration +2d +no end +not recorded$/m);
    expect(stdout).toMatch(/^ +lane-b +until tomorrow +2d +(23h|1d)/m);
    expect(stdout).toMatch(/^deploy +lane-a +x +2d/m);
    expect(stdout).toMatch(/^ +lane-c +- +\d+s +no end +tester on/m);
  });

  it('in the document as well, with the keys of every hold', () => {
    const { document } = heldFleet().json(['status', '--by', 'holder']);
    expect(document.holders).toMatchObject([
      {
        holder: 'anna',
        holds: [
          { kind: 'profile', profile: 'lane-a', hold: { id: 'h1' }, hints: ['no-end'] },
          { profile: 'lane-b', hold: { id: 'h3' }, hints: [] },
        ],
      },
      { holder: 'deploy', holds: [{ hints: ['no-end'] }, { profile: 'lane-c', hints: [] }] },
    ]);
  });
});

describe('a hold that is older than a day is hinted at', () => {
  it('where it has no end, with the command that lifts it', () => {
    const { stdout } = heldFleet().run(['status', '--by', 'holder']);
    expect(stdout).toMatch(
      /^forgotten\? lane-a has been held by anna for 2d.*, and the hold has no end$/m,
    );
    expect(stdout).toMatch(/^ {2}lift with fleet resume .* -p lane-a --as anna$/m);
    expect(stdout.match(/^forgotten/gm)).toHaveLength(2);
  });

  it('where it gives no reason: a file that `touch` made is as old as it is', () => {
    const fleet = makeFleet('lane-a');
    place(fleet.sentinel(), '');
    expect(fleet.run(['status', '--by', 'holder']).stdout).not.toContain('forgotten');
    const then = Date.now() / 1000 - 3 * DAY_S;
    utimesSync(fleet.sentinel(), then, then);
    expect(fleet.run(['status', '--by', 'holder']).stdout).toMatch(
      /^forgotten\? \(root\) has been held by \(anonymous\) for 3d.*has no end and gives no reason$/m,
    );
  });
});

it('of a fleet that nothing holds there is nothing to count', () => {
  expect(makeFleet('lane-a').run(['status', '--by', 'holder']).stdout).toMatch(
    /^there are no holds\nroot /,
  );
});

it.each([['--watch'], ['--only', 'paused']])('with %s is refused', (...words) => {
  expect(makeFleet().run(['status', '--by', 'holder', ...words]).code).toBe(2);
});
