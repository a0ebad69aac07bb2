/** What docs/restart.md says of gateways that are service units, as systemd restarts them. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { bundleFile } from '../../../scripts/bundle.mjs';
import { machineOfThisFile } from './machine.ts';

const source = '../../../packages/fleet-cli/test/support/restartable-gateway.ts';
const built = await bundleFile(fileURLToPath(new URL(source, import.meta.url)));
const gateway = `/opt/repository/node_modules/.cache/fleet/${basename(built)}`;

const machine = machineOfThisFile();
const home = '/srv/fleet/profiles/lane-a';
const unit = 'lane-a.service';
const RESTART = ['fleet', '--root', '/srv/fleet', 'restart', '-p', 'lane-a', '--settle', '1s'];

beforeEach(async () => {
  const means = `gateway: { restart: { systemd: ${unit} } }`;
  machine.write(`${home}/profile.yaml`, `version: 1\n${means}\n`);
  machine.run('chown', 'root:root', home, `${home}/profile.yaml`);
  machine.run('chmod', '755', home);
  const service = [
    '[Service]',
    `ExecStart=/usr/bin/env node ${gateway} ${home}`,
    // Without anything in its environment, as a child of systemd, and in the service all the same.
    `ExecReload=/usr/bin/env -i PATH=/usr/local/bin:/usr/bin ${RESTART.join(' ')}`,
    'Restart=always',
  ];
  machine.write(`/run/systemd/system/${unit}`, `${service.join('\n')}\n`);
  machine.run('systemctl', 'daemon-reload');
  machine.run('systemctl', 'start', 'other-watcher.service', unit);
  await expect.poll(acknowledged, { timeout: 30_000 }).toBe(0);
});

const acknowledged = () =>
  machine.run('fleet', '--root', '/srv/fleet', 'assert', 'acknowledged', '-p', 'lane-a').status;
const pid = () => machine.show(unit, 'MainPID');
const isHeld = () => machine.run('test', '-e', `${home}/ESTOP`).status === 0;

test('the unit is restarted, and the new instance is verified before the hold is lifted', () => {
  const before = pid();
  const { status, stderr } = machine.run(...RESTART);
  expect([status, stderr]).toEqual([0, expect.stringContaining('lane-a: lifted')]);
  expect(stderr).toContain('lane-a: restarted by `systemctl`');
  expect(pid()).not.toBe(before);
  expect(isHeld()).toBe(false);
});

test('from inside the service it is refused by the control group, and nothing is held', () => {
  const before = pid();
  expect(machine.run('systemctl', 'reload', unit).status).not.toBe(0);
  const { stdout } = machine.run('journalctl', '--no-pager', '-u', unit);
  expect(stdout).toContain(`this process belongs to its service`);
  expect([pid(), isHeld()]).toEqual([before, false]);
});

test('a unit whose program ends at once is a failure, and the profile stays held', () => {
  machine.dropIn(unit, 'ExecStart=\nExecStart=/bin/false\nRestart=no\n');
  const { status, stdout } = machine.run(...RESTART, '--timeout', '1s', '--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout).results).toMatchObject([
    { outcome: 'failed', why: expect.stringContaining('no new instance has connected') },
  ]);
  expect(isHeld()).toBe(true);
});
