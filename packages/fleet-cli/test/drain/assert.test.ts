/**
 * `fleet assert drained`: judges as `fleet drain` does, and places nothing.
 */
import { describe, expect, it } from 'vitest';
import { exists, makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import { startWorkingGateway } from '../support/working-gateways.ts';

const TURN = { profile: 'lane-a', door: 'turn', id: 'm-17' };

describe('assert drained', () => {
  it('fails for a profile that is not paused, and pauses nothing', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    const { code, stdout, stderr } = fleet.run(['assert', 'drained']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}lane-a {2}not paused; nothing in hand$/m);
    expect(stderr).toContain('not drained: lane-a');
    expect(exists(fleet.sentinel())).toBe(false);
  });

  it('is true for one that is held, acknowledged and quiet, and then not with work in hand', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    fleet.run(['pause', '--wait']);
    const { code, stdout } = fleet.run(['assert', 'drained']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}lane-a {2}1 in hand: turn 1$/m);
    await gateway.end(TURN);
    const { code: later, document } = fleet.json(['assert', 'drained', '--within', '10s']);
    expect(later).toBe(0);
    expect(document).toMatchObject({
      claim: 'drained',
      holds: true,
      watcher: { reached: true },
      unserved: ['lane-b'],
      judgements: [
        { profile: 'lane-a', verdict: 'pass', drain: { quiet: true, in_hand: 0 } },
        { profile: 'lane-b', verdict: 'none', drain: { served: false } },
      ],
    });
  });

  it('waits with --within until it is true, or is 5', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    fleet.run(['pause']);
    const words = ['assert', 'drained', '-p', 'lane-a'];
    expect(fleet.run([...words, '--within', '1s']).code).toBe(5);
    const live = startFleet([...words, '--root', fleet.root, '--within', '1h']);
    await gateway.end(TURN);
    expect(await live.ended).toEqual({ code: 0, signal: null });
  });

  it('is 3 without a watcher: unknown, never true', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    const { code, stderr } = fleet.run(['assert', 'drained']);
    expect(code).toBe(3);
    expect(stderr).toContain('lane-a: unknown: acknowledgements are unknown');
  });
});
