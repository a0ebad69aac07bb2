/**
 * A watcher that is not there, dies, comes back, or does not answer, while it is waited for gateways.
 * What nobody could say is 5, and what another run was told does not count.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { exists, makeFleet, place } from '../support/fleet.ts';
import { startGateway, untilGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';

describe('no watcher', () => {
  it('it is 5 when the time is up, was said at once, and the hold stands', () => {
    const fleet = makeFleet('lane-a');
    const { code, stdout, stderr } = fleet.run(['pause', '--wait', '--timeout', '1s']);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^PAUSED the whole fleet \(1 profile\) /);
    expect(stdout).not.toMatch(/acknowledged/i);
    expect(stderr.split('\n')).toEqual([
      'acknowledgements cannot be seen: no watcher runs; trying for 1s',
      'NOT known who has acknowledged: no watcher could be asked in 1s: it does not run',
      '  the hold is on disk and stays in force',
      '',
    ]);
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('its document has the same keys, and nobody in it', () => {
    const fleet = makeFleet('lane-a');
    const { code, document } = fleet.json(['pause', '--wait', '--timeout', '1s']);
    expect(code).toBe(5);
    expect(document.wait).toEqual({
      outcome: 'no-watcher',
      waited_ms: expect.any(Number),
      timeout_ms: 1000,
      watcher: { reached: false, why: 'it does not run', epoch: null },
      undone: [],
      gateways: [],
      absent: [],
      unserved: [],
      unshown: [],
      outsiders: [],
      profiles_unknown: null,
      gateways_unknown: true,
    });
    expect(document.wait.waited_ms).toBeGreaterThanOrEqual(1000);
  });

  it('one that comes meanwhile is asked, and its gateways are given the time to connect', async () => {
    const fleet = makeFleet('lane-a');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.complains('no watcher runs');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    expect((await live.ended).code).toBe(0);
    expect(live.stdout()).toContain('ACKNOWLEDGED by 1 gateway');
  });

  it('one that breaks off and is gone at the next question is said to be both', async () => {
    const fleet = makeFleet('lane-a');
    mkdirSync(`${fleet.root}/.fleet`);
    const dying = createServer((socket) => socket.destroy());
    dying.listen(`${fleet.root}/.fleet/http.sock`);
    await once(dying, 'listening');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.complains('the watcher cannot be asked');
    dying.close();
    await live.complains('acknowledgements cannot be seen: no watcher runs');
  });

  it('a file in the place of its socket is no watcher', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    place(`${fleet.root}/.fleet/http.sock`, 'no socket');
    const { code, document } = fleet.json(['pause', '--wait', '--timeout', '1s']);
    expect(code).toBe(5);
    expect(document.wait.watcher.why).toBe('the file at its socket path is not a socket');
  });
});

describe('a watcher that goes', () => {
  it('killed and started anew, it is asked again, and gateways acknowledge to the new one', async () => {
    const fleet = makeFleet('lane-a');
    const first = await startWatcher(fleet.root);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a=1']);
    gateway.signal('SIGSTOP');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.prints('PAUSED');
    first.signal('SIGKILL');
    await live.complains('acknowledgements cannot be seen: no watcher runs');
    await startWatcher(fleet.root);
    gateway.signal('SIGCONT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stdout()).toMatch(/acknowledged {2}sample\/1.0, process \d+: lane-a; after \d+ ms/);
  });

  it('who acknowledged to the first and never came to the second is gone', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    const first = await startWatcher(fleet.root);
    const early = await startGateway(fleet.root, 'early', ['lane-a']);
    const late = await startGateway(fleet.root, 'late', ['lane-b']);
    late.signal('SIGSTOP');
    const words = ['pause', '--root', fleet.root, '--wait', '--timeout', '5s', '--json'];
    const live = startFleet(words);
    await untilGateway(fleet.root, 'early', ({ profiles: [{ acknowledged_at: at }] }) => {
      return exists(fleet.sentinel()) && at !== null;
    });
    // From here on, the one that has acknowledged has been seen to.
    await live.complains('waiting for gateways');
    await early.killed();
    first.signal('SIGKILL');
    await live.complains('no watcher runs');
    await startWatcher(fleet.root);
    late.signal('SIGCONT');
    expect((await live.ended).code).toBe(4);
    const { wait } = JSON.parse(live.stdout());
    expect(wait.outcome).toBe('partial');
    const standings = wait.gateways.map((one: { instance: string; standing: string }) => [
      one.instance,
      one.standing,
    ]);
    expect(Object.fromEntries(standings)).toEqual({ early: 'gone', late: 'acknowledged' });
  });

  it('who acknowledged and went away since has acknowledged', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const early = await startGateway(fleet.root, 'early', ['lane-a']);
    const late = await startGateway(fleet.root, 'late', ['lane-b']);
    late.signal('SIGSTOP');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.complains('waiting for gateways');
    await early.killed();
    late.signal('SIGCONT');
    expect((await live.ended).code).toBe(0);
    expect(live.stdout()).toContain('ACKNOWLEDGED by all 2 gateways');
  });

  it('stopped in the middle, it has said what it said: 4, and that it is old', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
    gateway.signal('SIGSTOP');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '4s']);
    await live.complains('waiting for gateways');
    watcher.signal('SIGSTOP');
    expect((await live.ended).code).toBe(4);
    expect(live.stderr()).toContain(
      'as of the last answer of the watcher, which cannot be asked any more',
    );
  });
});
