/**
 * `fleet restart` with gateways and a watcher as processes: held, drained, restarted, verified, lifted, and
 * what stays held when it fails.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, makeFleet } from '../support/fleet.ts';
import { holdsOf, startFleet, until } from '../support/live.ts';
import {
  begunIn,
  commandOf,
  doneIn,
  giveTurn,
  servingOf,
  setMeans,
  setMode,
  superviseGateway,
  toldIn,
  untilBegun,
  untilServed,
} from '../support/restartable.ts';
import { startWatcher } from '../support/watcher.ts';

/** Short, so that a test does not wait for a gateway that stays. */
const QUICKLY = ['--settle', '1s'];
const recordOf = (home: string): string => join(home, '.fleet', 'restart.json');

/** Runs it to its end beside this process, which goes on. */
async function restart(root: string, ...words: readonly string[]) {
  const settle = words.includes('--settle') ? [] : QUICKLY;
  const live = startFleet(['restart', '--root', root, ...settle, ...words]);
  live.endInput();
  const { code } = await live.ended;
  return { code, stdout: live.stdout(), stderr: live.stderr() };
}

it('a gateway is held, drained, restarted, verified, and its hold is lifted', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  const before = await untilServed(fleet, 'lane-a');
  const { code, stdout, stderr } = await restart(fleet.root, '-p', 'lane-a', '--json');
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({
    schema: 'fleet/restart/v1',
    results: [
      { profiles: ['lane-a'], outcome: 'restarted', old_instances: [before], drained: true },
    ],
    untouched: [],
  });
  expect(code).toBe(0);
  const steps = stderr.split('\n').map((line) => /^lane-a: (\w+)/.exec(line)?.[1]);
  expect(steps.filter((step) => step !== undefined)).toEqual([
    'held',
    'drained',
    'restarted',
    'verified',
    'lifted',
  ]);
  const [after] = await servingOf(fleet, 'lane-a');
  expect(document.results[0].new_instances).toEqual([after]);
  expect(after).not.toBe(before);
  expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  expect(exists(recordOf(fleet.folder('lane-a')))).toBe(false);
});

it('three lanes are restarted while turns arrive: none is lost, and none runs twice', async () => {
  const lanes = ['lane-a', 'lane-b', 'lane-c'];
  const fleet = makeFleet(...lanes);
  await startWatcher(fleet.root);
  for (const lane of lanes) await superviseGateway(fleet, lane);
  let given = 0;
  const arriving = setInterval(() => {
    given += 1;
    const name = `${String(given).padStart(5, '0')}.turn`;
    for (const lane of lanes) giveTurn(fleet, lane, name);
  }, 100);
  const ended = await restart(fleet.root, ...lanes.flatMap((lane) => ['-p', lane]));
  clearInterval(arriving);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('lane-c: lifted')]);
  for (const lane of lanes) {
    await until(() => doneIn(fleet, lane).length === given);
    expect(begunIn(fleet, lane)).toEqual(doneIn(fleet, lane));
  }
});

it('work that does not end in time is cut: its owner is told once, and the work does not run twice', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  giveTurn(fleet, 'lane-a', '1.stuck');
  await untilBegun(fleet, 'lane-a', '1.stuck');
  const { code, stdout, stderr } = await restart(
    fleet.root,
    ...['-p', 'lane-a', '--timeout', '1s', '--reason', 'new version', '--json'],
  );
  expect(stderr).toContain('NOT drained after 1s: 1 piece of work in hand');
  expect(stderr).toContain('told 1 conversation that their work is cut');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).results).toMatchObject([{ drained: false, told: 1, notices: [] }]);
  expect(toldIn(fleet, 'lane-a')).toEqual(['talk of 1.stuck: new version']);
});

it('the owner who could not be told is named', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  setMode(fleet, 'lane-a', 'deaf');
  await superviseGateway(fleet, 'lane-a');
  giveTurn(fleet, 'lane-a', '1.stuck');
  await untilBegun(fleet, 'lane-a', '1.stuck');
  const { code, stderr } = await restart(fleet.root, '-p', 'lane-a', '--no-drain');
  expect(stderr).toMatch(/NOT told: 1 conversation of lane-a, by gateway `/);
  expect(code).toBe(0);
});

it('a new instance that dies is reported as such, its lane stays held, and the rest is untouched', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  await superviseGateway(fleet, 'lane-b');
  const untouched = await untilServed(fleet, 'lane-b');
  setMode(fleet, 'lane-a', 'dies');
  const { code, stdout, stderr } = await restart(
    fleet.root,
    ...['-p', 'lane-a', '-p', 'lane-b', '--settle', '5s', '--json'],
  );
  expect(code).toBe(1);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({
    results: [
      {
        profiles: ['lane-a'],
        outcome: 'failed',
        why: expect.stringMatching(
          /the new instance .* \(process \d+\) died [12]s after it had connected/,
        ),
      },
    ],
    untouched: ['lane-b'],
  });
  expect(stderr).toContain('trying once more');
  const [hold] = bodyOf(fleet.sentinel('lane-a')).holds;
  expect(hold.expires_at).toBeUndefined();
  expect(hold.reason).toMatch(/^restart failed: the new instance .* died [12]s after/);
  expect(stderr).toContain('nothing was done to lane-b');
  expect(exists(fleet.sentinel('lane-b'))).toBe(false);
  expect(await servingOf(fleet, 'lane-b')).toEqual([untouched]);
  expect(exists(recordOf(fleet.folder('lane-a')))).toBe(false);
});

it('a gateway that does not come back is reported, and its lane stays held', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const gateway = await superviseGateway(fleet, 'lane-a');
  gateway.abandon();
  const { code, stderr } = await restart(fleet.root, '-p', 'lane-a', '--timeout', '1s');
  expect(code).toBe(1);
  expect(stderr).toContain('no new instance has connected for lane-a');
  expect(holdsOf(fleet.sentinel('lane-a'))).toMatchObject([
    { reason: expect.stringContaining('no new instance has connected') },
  ]);
});

it('means that fail are shown with their last lines, and the lane stays held', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  const before = await untilServed(fleet, 'lane-a');
  setMeans(fleet, 'lane-a', { command: ['sh', '-c', 'echo no such unit; exit 4'] });
  const { code, stderr } = await restart(fleet.root, '-p', 'lane-a');
  expect(code).toBe(1);
  expect(stderr).toContain('`sh` ended with status 4');
  expect(stderr).toContain('no such unit');
  expect(holdsOf(fleet.sentinel('lane-a'))).toHaveLength(1);
  expect(await servingOf(fleet, 'lane-a')).toEqual([before]);
});

it('the means get the profile and its home, and no shell reads them', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  const [node = '', e = '', stop = '', pid = ''] = commandOf(fleet, 'lane-a');
  const tell = `require('node:fs').writeFileSync('told', [process.env.FLEET_PROFILE, process.env.FLEET_HOME, process.cwd(), ...process.argv.slice(2)].join('\\n'));`;
  setMeans(fleet, 'lane-a', { command: [node, e, `${tell} ${stop}`, pid, '$(reboot)', '; *'] });
  const { code } = await restart(fleet.root, '-p', 'lane-a');
  expect(code).toBe(0);
  const home = fleet.folder('lane-a');
  const told = readFileSync(join(home, 'told'), 'utf8').split('\n');
  expect(told).toEqual(['lane-a', home, home, '$(reboot)', '; *']);
});

describe('before anything is held, it refuses', () => {
  it('without a watcher (5)', async () => {
    const fleet = makeFleet('lane-a');
    setMeans(fleet, 'lane-a', { command: ['true'] });
    const { code, stderr } = await restart(fleet.root, '-p', 'lane-a');
    expect([code, stderr]).toEqual([5, expect.stringContaining('the watcher cannot be asked')]);
    expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  });

  it('without means (2), without a selection (2), and for the root’s own profile (2)', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const without = await restart(fleet.root, '-p', 'lane-a');
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining('no `gateway.restart` in `profile.yaml`'),
    ]);
    expect((await restart(fleet.root)).code).toBe(2);
    expect((await restart(fleet.root, '-p', 'default')).code).toBe(2);
    expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  });

  it('a process that serves other profiles, too (2), which are named; together they are restarted once', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await superviseGateway(fleet, 'lane-a', 'lane-b');
    const alone = await restart(fleet.root, '-p', 'lane-a');
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain('fleet restart -p lane-a -p lane-b');
    expect(exists(fleet.sentinel('lane-a'))).toBe(false);
    const both = await restart(fleet.root, '-p', 'lane-a', '-p', 'lane-b', '--json');
    expect(both.code).toBe(0);
    expect(JSON.parse(both.stdout).results).toMatchObject([
      { profiles: ['lane-a', 'lane-b'], outcome: 'restarted' },
    ]);
    expect(both.stderr.match(/: restarted by/g)).toHaveLength(1);
  });

  it('while another restart of the profile is under way (1), which is named', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await superviseGateway(fleet, 'lane-a');
    giveTurn(fleet, 'lane-a', '1.stuck');
    await untilBegun(fleet, 'lane-a', '1.stuck');
    const first = startFleet(['restart', '--root', fleet.root, '-p', 'lane-a', '--timeout', '40s']);
    await until(() => existsSync(recordOf(fleet.folder('lane-a'))));
    const second = await restart(fleet.root, '-p', 'lane-a');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${first.pid} on `);
  });
});

it('Ctrl-C before the restart lifts the hold, and says that nothing was restarted', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  const before = await untilServed(fleet, 'lane-a');
  giveTurn(fleet, 'lane-a', '1.stuck');
  await untilBegun(fleet, 'lane-a', '1.stuck');
  const live = startFleet(['restart', '--root', fleet.root, '-p', 'lane-a', '--timeout', '40s']);
  await live.complains('lane-a: held');
  live.signal('SIGINT');
  const { signal, code } = await live.ended;
  expect(signal ?? code).toBe(signal === null ? 130 : 'SIGINT');
  expect(live.stderr()).toContain('nothing was restarted');
  expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  expect(exists(recordOf(fleet.folder('lane-a')))).toBe(false);
  expect(await servingOf(fleet, 'lane-a')).toEqual([before]);
});

it('the hold of somebody else stands beside it, and is named at the end', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await superviseGateway(fleet, 'lane-a');
  fleet.run(['pause', '-p', 'lane-a', '--reason', 'mine']);
  const { code, stderr } = await restart(fleet.root, '-p', 'lane-a');
  expect(code).toBe(0);
  expect(stderr).toContain('lane-a is still held: lane-a by operator');
  expect(holdsOf(fleet.sentinel('lane-a'))).toMatchObject([{ holder: 'operator' }]);
});
