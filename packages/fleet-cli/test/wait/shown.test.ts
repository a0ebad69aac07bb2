/**
 * Gateways in `fleet status` and `fleet explain`: shown where a watcher answers, said to be unknown
 * where none does, and never a reason for another exit status or a long wait.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFleet, runFleet, runInShell } from '../support/fleet.ts';
import { CLAIMS, startGateway, untilGateway } from '../support/gateways.ts';
import { startWatcher } from '../support/watcher.ts';

const ALL_OF_ONE = 'acknowledged by every connected gateway: 1';
const UNKNOWN = 'acknowledgements are unknown: no watcher runs';

describe('status', () => {
  it('shows of each profile how many have acknowledged, and how many there are', async () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'lane-c', 'lane-d');
    writeFileSync(
      join(fleet.folder('lane-c'), 'profile.yaml'),
      'version: 1\ngateway:\n  expected: true\n',
    );
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a', 'lane-b']);
    const frozen = await startGateway(fleet.root, 'frozen', ['lane-b', 'default']);
    frozen.signal('SIGSTOP');
    fleet.run(['pause', '-p', 'lane-b']);
    fleet.run(['assert', 'acknowledged', '-p', 'lane-a', '--within', '10s']);
    const { code, stdout } = fleet.run(['status'], { env: { COLUMNS: '120' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/SCOPE.*GATEWAYS\n/);
    expect(stdout).toMatch(/default +running +1\/1\n/);
    expect(stdout).toMatch(/lane-a +running +1\/1\n/);
    expect(stdout).toMatch(/lane-b +paused +operator .* +1\/2\n/);
    expect(stdout).toMatch(/lane-c +running +0\/1\n/);
    expect(stdout).toMatch(/lane-d +running\n/);
    expect(stdout).toContain(
      'NOT acknowledged by every gateway: lane-b, lane-c; no gateway serves 2 of 5 profiles\n',
    );
    expect(stdout).not.toMatch(CLAIMS);
    const { document } = fleet.json(['status']);
    expect(document.unserved).toEqual(['lane-c', 'lane-d']);
    expect(document.watcher).toEqual({ reached: true, why: null, epoch: expect.any(String) });
    const lanes = Object.fromEntries(
      document.lanes.map((lane: { profile: string }) => [lane.profile, lane]),
    );
    expect(lanes['lane-b'].gateways).toMatchObject([
      { instance: 'g', standing: 'acknowledged' },
      { instance: 'frozen', standing: 'silent' },
    ]);
    expect(lanes['lane-c']).toMatchObject({ gateways: [], gateway_absent: true });
  });

  it('says so where no gateway is connected, and where all have acknowledged', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    expect(fleet.run(['status']).stdout).toContain('no gateway is connected to the watcher\n');
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { stdout } = fleet.run(['status']);
    expect(stdout).toContain('acknowledged by every connected gateway: 1\n');
  });

  it('that all gateways have acknowledged is never said without the profiles that nobody serves', async () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { stdout } = fleet.run(['status']);
    expect(stdout).toContain(`${ALL_OF_ONE}; no gateway serves 2 of 3 profiles\n`);
    const some = fleet.run(['status', '-p', 'lane-a']);
    expect(some.stdout).toMatch(/acknowledged by every connected gateway of these .*: 1\n/);
    const { stdout: explained } = fleet.run(['explain']);
    expect(explained).toContain(`${ALL_OF_ONE}; no gateway serves 2 of 3 profiles (see -p)\n`);
  });

  it('counts as many profiles as pause covers, and both name the profile of the root', async () => {
    const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a', 'default']);
    expect(fleet.run(['pause', '-v']).stdout).toMatch(
      /covers +3 profiles, and the root's own profile `default`\n/,
    );
    expect(fleet.run(['status']).stdout).toContain(
      "with it 3 profiles and the root's own profile `default`\n",
    );
  });

  it('without a watcher that is said, and in a document it is null', () => {
    const fleet = makeFleet('lane-a');
    const { code, stdout, stderr } = fleet.run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${UNKNOWN}\n`);
    expect(stdout).not.toContain('GATEWAYS');
    const { document } = fleet.json(['status']);
    expect(document.watcher).toEqual({ reached: false, why: 'it does not run', epoch: null });
    expect(document.lanes).toMatchObject([{ gateways: null, gateway_absent: null }]);
  });

  it('a watcher that does not answer costs a second, and changes no status', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    watcher.signal('SIGSTOP');
    const { code, stdout } = fleet.run(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'acknowledgements are unknown: the watcher cannot be asked: it has not answered in 1000 ms',
    );
  });

  it('a watcher that was killed has left a socket, and does not run', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    watcher.signal('SIGKILL');
    await watcher.ended;
    expect(fleet.run(['status'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(UNKNOWN),
    });
  });

  it('a root whose socket would have too long a path is one whose watcher cannot be asked', () => {
    const deep = join(makeFleet().root, 'd'.repeat(100));
    mkdirSync(join(deep, 'profiles', 'lane-a'), { recursive: true });
    const { code, stdout } = runFleet(['status', '--root', deep]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/cannot be asked: the path of its socket is longer than \d+ bytes/);
  });
});

it.runIf(process.platform === 'linux').each(['status', 'explain'])(
  '%s ends where a lane has settings that lead to what never ends',
  async (verb) => {
    const fleet = makeFleet('lane-a');
    symlinkSync('/proc/self/pagemap', join(fleet.folder('lane-a'), 'profile.yaml'));
    await startWatcher(fleet.root);
    const words = [verb, '--root', fleet.root, '-p', 'lane-a'];
    const { code, stdout } = runInShell('timeout --signal=KILL 10 "$@"', words);
    expect(code).toBe(0);
    expect(stdout).toContain('lane-a');
  },
);

describe('explain', () => {
  it('names each gateway of a profile, its link, its revision and its work in hand', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const { pid } = await startGateway(fleet.root, 'g', ['lane-a=2']);
    fleet.run(['pause', '--wait']);
    const { code, stdout } = fleet.run(['explain', '-p', 'lane-a', '-p', 'lane-b']);
    expect(code).toBe(0);
    const { document } = fleet.json(['explain', '-p', 'lane-a']);
    const [lane] = document.lanes;
    expect(stdout).toContain(`gateways of lane-a, of revision ${lane.revision}:\n`);
    expect(stdout).toContain(
      `  acknowledged  sample/1.0, process ${pid}, g: acknowledged, acknowledged revision ${lane.revision}, 2 in hand\n`,
    );
    expect(stdout).toMatch(/gateways of lane-b, of revision \d+: none is connected\n/);
    expect(lane.gateways).toMatchObject([{ instance: 'g', in_flight: 2 }]);
  });

  it('of one that was killed says that it is gone, whatever it had acknowledged', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
    fleet.run(['pause', '--wait']);
    await gateway.killed();
    await untilGateway(fleet.root, 'g', ({ link }) => link === 'gone');
    const { stdout } = fleet.run(['explain', '-p', 'lane-a']);
    expect(stdout).toMatch(/^ {2}gone +sample\/1\.0, process \d+, g: gone, /m);
    expect(stdout).not.toMatch(/^ {2}acknowledged /m);
    const { document } = fleet.json(['explain', '-p', 'lane-a']);
    expect(document.lanes[0].gateways).toMatchObject([{ link: 'gone', standing: 'gone' }]);
  });

  it('of the root alone says it in sum', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const { stdout } = fleet.run(['explain']);
    expect(stdout).toContain('acknowledged by every connected gateway: 1 (see -p)\n');
    const { document } = fleet.json(['explain']);
    expect(document.lanes).toMatchObject([{ profile: null, gateways: null }]);
    expect(document.watcher.reached).toBe(true);
  });

  it('without a watcher says that it is not known', () => {
    const { stdout, code } = makeFleet('lane-a').run(['explain', '-p', 'lane-a']);
    expect({ code, said: stdout.includes(UNKNOWN) }).toEqual({ code: 0, said: true });
  });
});
