/**
 * `fleet drain` where something cannot be known: no watcher, no gateway, a register that cannot be read, work
 * that only one of register and gateway has.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exists, makeFleet } from '../support/fleet.ts';
import { startGateway, untilGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import { endProcess, startWorkingGateway } from '../support/working-gateways.ts';

const TURN = { profile: 'lane-a', door: 'turn', id: 'm-17' };
const QUICK = ['--timeout', '1s'];

describe('no watcher', () => {
  it('5: the registers alone cannot say that gateways take no new work', async () => {
    const fleet = makeFleet('lane-a');
    const { code, stdout, stderr } = fleet.run(['drain', ...QUICK]);
    expect(code).toBe(5);
    expect(stdout).toContain('PAUSED the whole fleet');
    expect(stdout).toContain('NOT DRAINED');
    expect(stderr).toContain('gateways cannot be asked: no watcher runs; trying for 1s\n');
    expect(stderr).toContain('NOT known to be drained: no watcher could be asked in 1s');
    expect(stderr).toContain('by the registers alone: nothing in hand; whether gateways take new');
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('what the registers have is named all the same', async () => {
    const fleet = makeFleet('lane-a');
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a'], { isWatched: false });
    await gateway.begin(TURN);
    const { code, stderr } = fleet.run(['drain', '--timeout', '0']);
    expect(code).toBe(5);
    expect(stderr).toContain('by the registers alone: lane-a: 1 in hand: turn 1');
  });
});

describe('no gateway', () => {
  it('4 at once: nobody serves the selection, and only the register has a say', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const { code, document } = fleet.json(['drain', '--timeout', '1h']);
    expect(code).toBe(4);
    expect(document.drain).toMatchObject({ outcome: 'nobody', unserved: ['lane-a'] });
  });

  it('beside a served profile, one without gateway is judged by its register, and said', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    const { code, stdout } = fleet.run(['drain']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'nothing in hand; no gateway serves 1 of 2 profiles: there, only the register is known\n',
    );
    expect(stdout).not.toMatch(/stopped/);
  });

  it('work of a killed gateway’s worker counts until the worker has ended', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'other', ['lane-b']);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    const worker = await gateway.beginInWorker(TURN);
    await gateway.begin({ ...TURN, id: 'in its own process' });
    await gateway.killed();
    await untilGateway(fleet.root, 'g', ({ returning }) => !returning);
    const live = startFleet(['drain', '--root', fleet.root, '--timeout', '1h']);
    // What ran in the gateway itself has ended with it.
    await live.complains('lane-a: 1 in hand: turn 1\n');
    endProcess(worker);
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stdout()).toContain('no gateway serves 1 of 2 profiles');
  });

  it('4: a gateway that is expected, and is not there', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    writeFileSync(
      join(fleet.folder('lane-b'), 'profile.yaml'),
      'version: 1\ngateway:\n  expected: true\n',
    );
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    const { code, document } = fleet.json(['drain', ...QUICK]);
    expect(code).toBe(4);
    expect(document.drain).toMatchObject({ outcome: 'silent', absent: ['lane-b'] });
  });
});

describe('register and gateway must agree', () => {
  it('5: a register that cannot be read is unknown, never drained', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    await gateway.end(TURN);
    const claims = join(fleet.folder('lane-a'), '.fleet', 'in-flight', 'claims');
    rmSync(claims, { recursive: true });
    writeFileSync(claims, 'no folder');
    const { code, stderr } = fleet.run(['drain', ...QUICK]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/lane-a: unknown: its register cannot be read whole \(claims: ENOTDIR/);
    const { document } = fleet.json(['drain', ...QUICK]);
    expect(document.drain.profiles.at(-1)).toMatchObject({
      quiet: false,
      in_hand: null,
      unreadable: [{ path: 'claims', why: 'ENOTDIR' }],
    });
    rmSync(claims);
    mkdirSync(claims);
    expect(fleet.run(['drain']).code).toBe(0);
  });

  it('5: what a gateway reports counts, though its register does not have it', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a=3']);
    const { code, stderr } = fleet.run(['drain', ...QUICK]);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'lane-a: 3 in hand as its gateway reports, which its register does not',
    );
    // Nor does excluding what is wedged excuse it.
    expect(fleet.run(['drain', '--exclude-wedged', ...QUICK]).code).toBe(5);
  });
});
