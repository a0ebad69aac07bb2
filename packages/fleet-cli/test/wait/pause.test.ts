/**
 * `fleet pause --wait`: who has acknowledged, who has not, and that nothing more is claimed. With real
 * watchers and gateways. What happens to the hold meanwhile is `undone.test.ts`, to the watcher
 * `restart.test.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, type Fleet, makeFleet } from '../support/fleet.ts';
import { CLAIMS, startGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';

const QUICK = ['--wait', '--timeout', '1s'];

function setExpected({ folder }: Fleet, lane: string, expected: boolean | string): void {
  writeFileSync(
    join(folder(lane), 'profile.yaml'),
    `version: 1\ngateway:\n  expected: ${expected}\n`,
  );
}

describe('where everybody answers', () => {
  it('it is 0, and each gateway is named with its profiles, milliseconds and work in hand', async () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
    await startWatcher(fleet.root);
    const both = await startGateway(fleet.root, 'both', ['lane-a=3', 'lane-b']);
    const other = await startGateway(fleet.root, 'other', ['lane-c=1'], { SOFTWARE: 'other/2' });
    const { code, stdout, stderr } = fleet.run(['pause', '--wait']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^PAUSED the whole fleet \(3 profiles\) /);
    expect(stdout).toContain('ACKNOWLEDGED by all 2 gateways: the hold is in force there\n');
    const named = `sample/1.0, process ${both.pid}: lane-a, lane-b; after`;
    expect(stdout).toMatch(new RegExp(`acknowledged  ${named} \\d+ ms; 3 in hand\n`));
    expect(stdout).toMatch(
      new RegExp(`acknowledged  other/2, process ${other.pid}: lane-c; after \\d+ ms; 1 in hand\n`),
    );
    expect(stdout).not.toMatch(CLAIMS);
  });

  it('a profile without gateway is said, and not counted', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { code, document } = fleet.json(['pause', '--wait']);
    expect(code).toBe(0);
    expect(document.wait).toMatchObject({
      outcome: 'acknowledged',
      unserved: ['lane-b'],
      absent: [],
      unshown: [],
      undone: [],
    });
    const { stdout } = fleet.run(['pause', '--wait']);
    expect(stdout).toMatch(
      /^ACKNOWLEDGED by 1 gateway: the hold is in force there; no gateway serves 1 of 2 profiles$/m,
    );
  });

  it('only gateways of the profiles that are paused count', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const frozen = await startGateway(fleet.root, 'frozen', ['lane-b']);
    frozen.signal('SIGSTOP');
    const { code, document } = fleet.json(['pause', '-p', 'lane-a', '--wait']);
    expect(code).toBe(0);
    const [one] = document.wait.gateways;
    expect(document.wait.gateways).toHaveLength(1);
    expect(one).toMatchObject({ profile: 'lane-a', instance: 'g', standing: 'acknowledged' });
    expect(one.after_ms).toBeGreaterThanOrEqual(0);
    expect(one.after_ms).toBeLessThan(20_000);
  });

  it('its document says all of it in keys that docs/json.md describes', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const { pid } = await startGateway(fleet.root, 'g', ['lane-a=3']);
    const { document } = fleet.json(['pause', '--wait']);
    const [gateway] = document.wait.gateways;
    expect(gateway).toEqual({
      profile: 'lane-a',
      instance: 'g',
      pid,
      resume_spread_ms: null,
      software: 'sample/1.0',
      link: 'acknowledged',
      standing: 'acknowledged',
      acknowledged: expect.any(Number),
      in_flight: 3,
      after_ms: expect.any(Number),
    });
    const docs = readFileSync(new URL('../../../../docs/json.md', import.meta.url), 'utf8');
    for (const key of Object.keys(gateway)) expect(docs).toContain(`\`${key}\``);
  });

  it('the profile that is served from the root counts as soon as a gateway serves it', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['default']);
    const { code, document } = fleet.json(['pause', '--wait']);
    expect(code).toBe(0);
    expect(document.wait.gateways).toMatchObject([{ profile: 'default' }]);
  });

  it('pausing again waits for the new hold', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
    expect(fleet.run(['pause', '--wait']).code).toBe(0);
    gateway.signal('SIGSTOP');
    const { code, document } = fleet.json(['pause', '--reason', 'newer', ...QUICK]);
    expect(code).toBe(4);
    expect(document.wait.gateways).toMatchObject([{ standing: 'silent', after_ms: null }]);
  });
});

describe('where somebody does not', () => {
  it('it ends as soon as the last one answers', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
    gateway.signal('SIGSTOP');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    // What was done is said before the waiting is over.
    await live.prints('PAUSED the whole fleet');
    expect(exists(fleet.sentinel())).toBe(true);
    gateway.signal('SIGCONT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stdout()).toContain('ACKNOWLEDGED by 1 gateway');
  });

  it('a gateway that is expected, and is not there, is absent', async () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'lane-c', 'lane-d');
    setExpected(fleet, 'lane-b', true);
    setExpected(fleet, 'lane-c', false);
    setExpected(fleet, 'lane-d', 'perhaps');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { code, stdout, stderr } = fleet.run(['pause', ...QUICK]);
    expect(code).toBe(4);
    expect(stdout).toContain(
      'absent        lane-b: a gateway is expected, and none is connected\n',
    );
    expect(stdout).toContain('absent        lane-d: none is connected, and whether');
    expect(stdout).toContain('no gateway    lane-c: none is connected, and none is expected\n');
    expect(stderr).toBe('NOT acknowledged by all in 1s: 2 absent\n');
  });

  it('an expected gateway that comes while it is waited for is one that acknowledges', async () => {
    const fleet = makeFleet('lane-a');
    setExpected(fleet, 'lane-a', true);
    await startWatcher(fleet.root);
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--json']);
    while (!exists(fleet.sentinel())) await new Promise((resolve) => setTimeout(resolve, 10));
    await startGateway(fleet.root, 'g', ['lane-a']);
    expect((await live.ended).code).toBe(0);
    const { wait } = JSON.parse(live.stdout());
    expect(wait).toMatchObject({ outcome: 'acknowledged', absent: [] });
  });

  it('where nobody is connected it is 4 at once, and never 0', async () => {
    const fleet = makeFleet('lane-a');
    setExpected(fleet, 'lane-a', false);
    await startWatcher(fleet.root);
    const { code, document } = fleet.json(['pause', '--wait', '--timeout', '1h']);
    expect(code).toBe(4);
    expect(document.wait).toMatchObject({ outcome: 'nobody', gateways: [], unserved: ['lane-a'] });
    const { stderr } = fleet.run(['pause', '--wait', '--timeout', '1h']);
    expect(stderr).toBe(
      'NOT acknowledged by anybody: no gateway is connected\n  the hold is on disk and stays in force\n',
    );
  });

  it('a gateway of a profile that is none in this fleet is named, and proves nothing', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['elsewhere']);
    const { code, document } = fleet.json(['pause', ...QUICK]);
    expect(code).toBe(4);
    expect(document.wait).toMatchObject({
      outcome: 'nobody',
      outsiders: [{ profile: 'elsewhere', instance: 'g' }],
    });
  });

  it('one of such a profile that has not heard of it keeps it from being acknowledged by all', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const outsider = await startGateway(fleet.root, 'outsider', ['elsewhere']);
    outsider.signal('SIGSTOP');
    const { code, stdout, stderr } = fleet.run(['pause', ...QUICK]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/outside .*`elsewhere` is not a profile .*has not acknowledged\n/);
    expect(stderr).toMatch(/^NOT acknowledged by all in \w+: 1 outside\n/m);
    outsider.signal('SIGCONT');
    expect(fleet.run(['pause', '--wait'])).toMatchObject({ code: 0 });
  });

  it('two processes that say the same instance are two', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const one = await startGateway(fleet.root, 'g', ['lane-a']);
    one.signal('SIGSTOP');
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { code, document } = fleet.json(['pause', ...QUICK]);
    expect(code).toBe(4);
    expect(document.wait.gateways).toMatchObject([
      { pid: one.pid, standing: 'silent' },
      { standing: 'acknowledged' },
    ]);
  });

  it('nothing that was named exists: nobody has acknowledged anything', () => {
    const fleet = makeFleet('lane-a');
    const words = ['pause', '-p', 'gone', '--allow-missing', '--wait', '--timeout', '1h'];
    expect(fleet.json(words)).toMatchObject({ code: 4, document: { wait: { outcome: 'nobody' } } });
  });

  it('a gateway that looks at another disk has not acknowledged, whatever it is told', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    // A copy of the fleet, with the real one's socket: as a container may have it.
    const copy = makeFleet('lane-a');
    mkdirSync(join(copy.root, '.fleet'));
    const socket = join(fleet.root, '.fleet', 'watcher.sock');
    await startGateway(fleet.root, 'g', ['lane-a'], { DISK: copy.root, SOCKET: socket });
    const { code, document } = fleet.json(['pause', ...QUICK]);
    expect(code).toBe(4);
    expect(document.wait.gateways).toMatchObject([{ instance: 'g', standing: 'silent' }]);
  });
});

describe('what is not waited for', () => {
  it('a pause that failed gives its own status at once, and waits for nobody', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause', '-p', 'lane-b', '--as', 'sre']);
    const words = ['-p', 'lane-a', '-p', 'lane-b', '--if-generation', 'none'];
    const { code, document } = fleet.json(['pause', ...words, '--wait', '--timeout', '1h']);
    expect(code).toBe(6);
    expect(document.wait).toBeNull();
    expect(bodyOf(fleet.sentinel('lane-a')).holds).toHaveLength(1);
  });

  it.each([
    [['--timeout', '5s'], '`--timeout` without `--wait`'],
    [['--wait', '--dry-run'], '`--dry-run`'],
    [['--wait', '--timeout', 'soon'], '`--timeout soon` is not a duration'],
    [['--wait', '--timeout', '0'], 'is not a duration'],
  ])('%j is refused before anything is written', (words, said) => {
    const fleet = makeFleet('lane-a');
    const { code, stderr } = fleet.run(['pause', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
    expect(exists(fleet.sentinel())).toBe(false);
  });

  it('without --wait, a watcher is not asked and changes nothing', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    watcher.signal('SIGSTOP');
    const { code, document } = fleet.json(['pause']);
    expect({ code, wait: document.wait }).toEqual({ code: 0, wait: null });
  });
});
