/**
 * The unit for a fleet of a host does what its guide says, as systemd runs it. Further restrictions
 * are `restrictions.test.ts`, whoever else has the root is `takeover.test.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const guides = fileURLToPath(new URL('../../../docs/watcher', import.meta.url));
const unit = 'fleet-watcher.service';

const machine = machineOfThisFile();
beforeEach(() => {
  machine.run('systemctl', 'stop', unit, 'deaf-client.service');
  machine.run('rm', '-rf', `/etc/systemd/system/${unit}.d`);
  machine.run('systemctl', 'daemon-reload');
  machine.run('systemctl', 'reset-failed');
});

const start = (name = unit) => machine.run('systemctl', 'start', name).status;
const owner = (pid: string) => [expect.stringMatching(`^owner-${pid}-`)];
const pidOf = (name: string) => machine.show(name, 'MainPID');

test('it is started once its own process has the root and is ready', () => {
  expect(start()).toBe(0);
  expect(machine.show(unit, 'SubState')).toBe('running');
  expect(machine.owners()).toEqual(owner(pidOf(unit)));
  expect(existsSync(join(machine.fleet, '.fleet/watcher.sock'))).toBe(true);
});

test('a unit ordered after it finds it ready', () => {
  expect(start('after-fleet.service')).toBe(0);
});

test.each([
  ['a root that does not exist', '/srv/fleet', '/srv/none'],
  ['a wrong command line', 'env fleet-watcher\n', 'env fleet-watcher --such\n'],
])('%s fails at once, with its status, and is not tried again', (_what, part, wrong) => {
  const text = readFileSync(join(guides, unit), 'utf8').replaceAll(part, wrong);
  machine.write('/etc/systemd/system/wrong.service', text);
  machine.run('systemctl', 'daemon-reload');
  const before = performance.now();
  expect(start('wrong.service')).not.toBe(0);
  // Nothing waits for a process that has ended: `--check` alone would, for 30 s.
  expect(performance.now() - before).toBeLessThan(20_000);
  expect(machine.show('wrong.service', 'ExecMainStatus')).toBe('2');
  expect(machine.show('wrong.service', 'SubState')).toBe('failed');
});

test('a stop ends it with status 0 and leaves no lock, though clients read nothing', async () => {
  expect(start()).toBe(0);
  expect(start('deaf-client.service')).toBe(0);
  const connected = () => machine.run('test', '-e', '/run/deaf-client').status;
  await expect.poll(connected).toBe(0);
  machine.run('systemctl', 'kill', '-s', 'STOP', 'deaf-client.service');
  machine.run('systemctl', 'stop', unit);
  expect(machine.show(unit, 'Result')).toBe('success');
  expect(machine.show(unit, 'ExecMainStatus')).toBe('0');
  expect(machine.owners()).toEqual([]);
});

test('a watcher that was stopped by a signal ends as well', () => {
  expect(start()).toBe(0);
  machine.run('systemctl', 'kill', '-s', 'STOP', unit);
  machine.run('systemctl', 'stop', unit);
  expect(machine.show(unit, 'Result')).toBe('success');
  expect(machine.owners()).toEqual([]);
});

test('the journal has its log under its name, and the command of the guide finds what is wrong', async () => {
  const [command = ''] =
    /^journalctl .*$/m.exec(readFileSync(join(guides, 'service.md'), 'utf8')) ?? [];
  machine.write('/srv/fleet/profiles/lane-b/profile.yaml', 'version: one\n');
  expect(start()).toBe(0);
  const said = (...command: readonly string[]): string => {
    machine.run('journalctl', '--sync');
    return machine.run(...command).stdout;
  };
  const log = said('journalctl', '-t', 'fleet-watcher', '-o', 'cat');
  expect(log).toContain('"msg":"watching"');
  // A file that is broken is believed when it has been so for a while.
  await expect.poll(() => said('sh', '-c', command)).toContain('"msg":"settings refused"');
  const found = said('sh', '-c', command).trim().split('\n');
  expect(found.map((line) => JSON.parse(line).level >= 40)).not.toContain(false);
});
