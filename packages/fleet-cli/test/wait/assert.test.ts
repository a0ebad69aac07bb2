/**
 * `fleet assert acknowledged`: every gateway that is expected has acknowledged what the disk says now.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';

it('is true where all have, and a profile without gateway is no part of it', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  const { pid } = await startGateway(fleet.root, 'g', ['lane-a']);
  fleet.run(['pause', '--wait']);
  const { code, stdout, stderr } = fleet.run(['assert', 'acknowledged']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'ok    lane-a  acknowledged by 1 of 1',
    '-     lane-b  no gateway is connected',
    'no gateway serves 1 of 2 profiles',
    '',
  ]);
  const { document } = fleet.json(['assert', 'acknowledged']);
  expect(document).toMatchObject({ claim: 'acknowledged', holder: null, holds: true });
  expect(document.unserved).toEqual(['lane-b']);
  expect(document.watcher).toEqual({ reached: true, why: null, epoch: expect.any(String) });
  const [lane, other] = document.judgements;
  expect(lane).toMatchObject({ profile: 'lane-a', verdict: 'pass', gateway_absent: false });
  expect(lane.gateways).toMatchObject([{ instance: 'g', pid, standing: 'acknowledged' }]);
  expect(lane.gateways[0].acknowledged).toBeGreaterThanOrEqual(lane.revision);
  expect(other).toMatchObject({ profile: 'lane-b', verdict: 'none', gateways: [] });
});

it('is false where one has not, where one is absent, and where nobody is there', async () => {
  const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
  writeFileSync(
    join(fleet.folder('lane-b'), 'profile.yaml'),
    'version: 1\ngateway: {expected: true}\n',
  );
  await startWatcher(fleet.root);
  const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
  expect(fleet.run(['assert', 'acknowledged', '-p', 'lane-a']).code).toBe(0);
  expect(fleet.run(['assert', 'acknowledged', '-p', 'lane-b'])).toMatchObject({
    code: 1,
    stdout:
      'FAIL  lane-b  a gateway is expected, and none is connected\nno gateway serves 1 of 1 profile\n',
    stderr: 'not acknowledged: lane-b\n',
  });
  expect(fleet.run(['assert', 'acknowledged', '-p', 'lane-c'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('FAIL  lane-c  no gateway is connected\n'),
  });
  gateway.signal('SIGSTOP');
  fleet.run(['pause']);
  const { code, document } = fleet.json(['assert', 'acknowledged', '-p', 'lane-a']);
  expect(code).toBe(1);
  expect(document.judgements[0].gateways).toMatchObject([{ standing: 'silent' }]);
});

it('what the watcher has not seen yet, nobody has acknowledged', async () => {
  const fleet = makeFleet('lane-a');
  const watcher = await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a']);
  watcher.signal('SIGSTOP');
  fleet.run(['pause']);
  // It answers with what it knows as soon as it goes on, and that is older than the disk, or not.
  const live = startFleet(['assert', 'acknowledged', '--root', fleet.root, '--within', '1h']);
  watcher.signal('SIGCONT');
  expect((await live.ended).code).toBe(0);
});

it('within a time: as soon as it is so, or 5', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
  gateway.signal('SIGSTOP');
  fleet.run(['pause']);
  const late = fleet.json(['assert', 'acknowledged', '--within', '1s']);
  expect(late).toMatchObject({ code: 5, document: { holds: false, timed_out: true } });
  const live = startFleet(['assert', 'acknowledged', '--root', fleet.root, '--within', '1h']);
  gateway.signal('SIGCONT');
  expect((await live.ended).code).toBe(0);
});

it('is not known without a watcher, which is 3 and no pass, within a time as well', () => {
  const fleet = makeFleet('lane-a');
  const { code, stdout, stderr } = fleet.run(['assert', 'acknowledged']);
  expect(code).toBe(3);
  expect(stdout).toBe('????  lane-a  acknowledgements are unknown: no watcher runs\n');
  expect(stderr).toBe('acknowledgements are unknown: no watcher runs\n');
  expect(fleet.run(['assert', 'acknowledged', '--within', '1s']).code).toBe(3);
  const { document } = fleet.json(['assert', 'acknowledged']);
  expect(document).toMatchObject({ holds: false, watcher: { reached: false } });
  expect(document.judgements).toMatchObject([{ verdict: 'unreadable', gateways: null }]);
});

it('of a fleet without profiles it is not true', async () => {
  const fleet = makeFleet();
  await startWatcher(fleet.root);
  const { code, stderr } = fleet.run(['assert', 'acknowledged']);
  expect(code).toBe(1);
  expect(stderr).toBe('not acknowledged: there is no profile\n');
});

it('a CI system sees a failure for each that has not, and a skip for who has no gateway', async () => {
  const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a']);
  const frozen = await startGateway(fleet.root, 'frozen', ['lane-b']);
  frozen.signal('SIGSTOP');
  fleet.run(['pause']);
  fleet.run(['assert', 'acknowledged', '-p', 'lane-a', '--within', '10s']);
  const junit = fleet.run(['assert', 'acknowledged', '--format', 'junit']);
  expect(junit.code).toBe(1);
  expect(junit.stdout).toContain('tests="3" failures="1" errors="0" skipped="1"');
  expect(junit.stdout).toMatch(
    /<failure message="lane-b is not acknowledged: acknowledged by 0 of 1/,
  );
  const github = fleet.run(['assert', 'acknowledged', '--format', 'github']).stdout.split('\n');
  expect(github[0]).toMatch(/^::error title=fleet assert acknowledged::lane-b is not acknowledged/);
  expect(github.filter((line) => line.startsWith('::notice'))).toEqual([]);
});

it('a holder after it is a mistake', () => {
  const fleet = makeFleet('lane-a');
  expect(fleet.run(['assert', 'acknowledged', 'lane-a']).code).toBe(2);
});
