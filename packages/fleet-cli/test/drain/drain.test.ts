/**
 * `fleet drain` with real watchers, and with real gateways that have real work in hand. When a watcher or a
 * gateway is missing is `unknown.test.ts`; the judgement of odd cases is `judge.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { startInTerminal } from '../support/terminal.ts';
import { startWatcher } from '../support/watcher.ts';
import { startWorkingGateway } from '../support/working-gateways.ts';

const TURN = { profile: 'lane-a', door: 'turn', id: 'm-17' };
const QUICK = ['--timeout', '1s'];

describe('drained', () => {
  it('at once, if nothing is in hand; the hold stays', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a', 'lane-b']);
    const { code, stdout, stderr } = fleet.run(['drain', '--reason', 'new version']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^PAUSED the whole fleet \(2 profiles\) /);
    expect(stdout).toContain('DRAINED: acknowledged by 1 gateway, nothing in hand\n');
    expect(bodyOf(fleet.sentinel()).holds).toMatchObject([
      { holder: 'operator', reason: 'new version', actor: { via: 'fleet drain' } },
    ]);
  });

  it('after the work ends, and not before; a log says each change once', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    // Its author has a limit for it, so its progress is known.
    await gateway.begin({ ...TURN, stallMs: 3_600_000 });
    await gateway.begin({ ...TURN, door: 'cron', id: 'nightly' });
    const live = startFleet(['drain', '--root', fleet.root, '--timeout', '1h']);
    await live.complains('lane-a: 2 in hand: cron 1, turn 1\n');
    expect(live.stdout()).toContain('PAUSED the whole fleet');
    expect(live.stdout()).not.toContain('DRAINED');
    await gateway.end({ ...TURN, door: 'cron', id: 'nightly' });
    await live.complains('lane-a: 1 in hand: turn 1\n');
    await gateway.end(TURN);
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stdout()).toContain('DRAINED: acknowledged by 1 gateway, nothing in hand\n');
    expect(live.stderr().match(/2 in hand: cron 1, turn 1\n/g)).toHaveLength(1);
    expect(live.stderr()).toMatch(/oldest lane-a: turn `m-17`, since .*; last progress /);
  });

  it('on a terminal, what is left is painted in place, and removed at the end', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    const words = ['drain', '--root', fleet.root, '--timeout', '1h'];
    const terminal = startInTerminal(words, { rows: 24, columns: 100 });
    await terminal.shows(
      /draining for .* of 1h, 1 of 1 profiles busy[\s\S]*lane-a +1 in hand: turn 1/,
    );
    await gateway.end(TURN);
    await terminal.shows(/DRAINED: acknowledged by 1 gateway/);
    expect(terminal.screen().join('\n')).not.toContain('in hand: turn 1');
  });

  it('`pause --drain` waits in the same way, and its document says so', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    expect(fleet.json(['pause', '--drain']).document).toMatchObject({
      results: [{ armed: true }],
      wait: null,
      drain: { outcome: 'drained', profiles: [{ profile: 'lane-a', quiet: true, in_hand: 0 }] },
    });
    await gateway.begin(TURN);
    const { code, document } = fleet.json(['pause', '--drain', ...QUICK]);
    expect(code).toBe(5);
    expect(document).toMatchObject({ results: [{ already_held: true }] });
    expect(document.drain).toMatchObject({ outcome: 'work-left' });
  });
});

describe('what is paused already', () => {
  it('gets no further hold, and the answer says whose stands', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    fleet.run(['pause', '--as', 'deploy', '--reason', 'rollout', '--allow-user', 'u1']);
    const { code, stdout } = fleet.run(['drain', '-p', 'lane-a', '--reason', 'mine']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'ALREADY PAUSED lane-a, so no hold was placed: deploy: rollout [(root)]; u1 may pass, and begin',
    );
    expect(exists(fleet.sentinel('lane-a'))).toBe(false);
    expect(bodyOf(fleet.sentinel()).holds).toMatchObject([{ holder: 'deploy' }]);
    const { document } = fleet.json(['drain', '-p', 'lane-a']);
    expect(document).toMatchObject({
      operation: null,
      results: [],
      standing: [{ profile: 'lane-a', held_by: ['root'], holds: [{ hold: { holder: 'deploy' } }] }],
      drain: { outcome: 'drained' },
    });
  });

  it('of several profiles, only the free one gets a hold', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startWorkingGateway(fleet.root, 'g', ['lane-a', 'lane-b']);
    fleet.run(['pause', '-p', 'lane-a', '--as', 'deploy']);
    expect(fleet.run(['drain', '-p', 'lane-a', '-p', 'lane-b']).code).toBe(0);
    expect(bodyOf(fleet.sentinel('lane-a')).holds).toMatchObject([{ holder: 'deploy' }]);
    expect(bodyOf(fleet.sentinel('lane-b')).holds).toMatchObject([{ holder: 'operator' }]);
  });
});

describe('not drained', () => {
  it('5: time is up, and what is left is named', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a', 'lane-b']);
    await gateway.begin(TURN);
    const { code, stdout, stderr } = fleet.run(['drain', ...QUICK]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^NOT DRAINED: 1 profile with work in hand/m);
    expect(stdout).toMatch(/oldest +lane-a: turn `m-17`, since /);
    expect(stderr).toContain('NOT drained in 1s: lane-a: 1 in hand: turn 1\n');
    expect(stderr).toContain('what is paused stays paused');
  });

  it('its document lists the work, and who has acknowledged', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const { pid, begin } = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await begin({ ...TURN, stallMs: 3_600_000 });
    const { code, document } = fleet.json(['drain', '--timeout', '0']);
    expect(code).toBe(5);
    expect(document.drain).toMatchObject({
      outcome: 'work-left',
      timeout_ms: 0,
      silent: [],
      gateways: [{ profile: 'lane-a', instance: 'g', standing: 'acknowledged' }],
    });
    expect(document.drain.profiles).toMatchObject([
      {
        profile: 'lane-a',
        quiet: false,
        served: true,
        in_hand: 1,
        wedged: 0,
        doors: [{ door: 'turn', in_hand: 1 }],
        work: [
          { door: 'turn', id: 'm-17', instance: 'g', pid, stall_ms: 3_600_000, wedged: false },
        ],
      },
    ]);
  });

  it('wedged work is listed, waited for, and excluded only with --exclude-wedged', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin({ ...TURN, stallMs: 1 });
    const left = fleet.run(['drain', ...QUICK]);
    expect(left.code).toBe(5);
    expect(left.stdout).toMatch(
      /wedged +lane-a: turn `m-17`, since .*; last progress .*; its limit is /,
    );
    const { code, stdout } = fleet.run(['drain', '--exclude-wedged', ...QUICK]);
    expect(code).toBe(0);
    expect(stdout).toContain('DRAINED but for 1 wedged: acknowledged by 1 gateway, nothing else');
    expect(stdout).toMatch(/wedged +lane-a: turn `m-17`/);
    // Without a limit of its author, work is never wedged, however old.
    await gateway.begin({ ...TURN, id: 'm-18' });
    const { code: other, document } = fleet.json(['drain', '--exclude-wedged', ...QUICK]);
    expect(other).toBe(5);
    expect(document.drain.profiles.at(-1)).toMatchObject({ in_hand: 2, wedged: 1 });
  });

  it('4: a silent gateway is named, whatever its register says', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const frozen = await startWorkingGateway(fleet.root, 'frozen', ['lane-a']);
    const other = await startWorkingGateway(fleet.root, 'other', ['lane-b']);
    await other.begin({ ...TURN, profile: 'lane-b' });
    frozen.signal('SIGSTOP');
    const { code, stdout, stderr } = fleet.run(['drain', ...QUICK]);
    expect(code).toBe(4);
    expect(stdout).toContain(`silent  sample/1.0, process ${frozen.pid}: lane-a; silent\n`);
    expect(stderr).toContain(`silent: sample/1.0, process ${frozen.pid}: lane-a`);
    expect(stderr).toContain('lane-b: 1 in hand: turn 1');
  });

  it('1: the hold was lifted meanwhile', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    const live = startFleet(['drain', '--root', fleet.root, '--timeout', '1h']);
    await live.complains('lane-a: 1 in hand');
    fleet.run(['resume']);
    expect(await live.ended).toEqual({ code: 1, signal: null });
    expect(live.stderr()).toContain(
      'NOT drained: nothing holds the whole fleet any more: it was resumed\n',
    );
  });

  it('130: Ctrl-C ends the waiting, and not the pause', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startWorkingGateway(fleet.root, 'g', ['lane-a']);
    await gateway.begin(TURN);
    const live = startFleet(['drain', '--root', fleet.root, '--timeout', '1h']);
    await live.complains('lane-a: 1 in hand');
    live.signal('SIGINT');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(live.stderr()).toMatch(/interrupted after .*, NOT drained: .*lane-a: 1 in hand: turn 1/);
    expect(live.stderr()).toContain('what is paused stays paused');
    expect(exists(fleet.sentinel())).toBe(true);
  });
});
