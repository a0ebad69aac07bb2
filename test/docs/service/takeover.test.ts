/** The unit for a fleet of a host, where another watcher has the root, or had it until it was killed. */
import { beforeEach, expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const unit = 'fleet-watcher.service';

const machine = machineOfThisFile();
beforeEach(() => {
  machine.run('systemctl', 'stop', unit, 'other-watcher.service');
  machine.run('rm', '-rf', `/etc/systemd/system/${unit}.d`);
  machine.run('systemctl', 'daemon-reload');
});

const start = (name = unit) => machine.run('systemctl', 'start', name).status;
const owner = (pid: string) => [expect.stringMatching(`^owner-${pid}-`)];
const pidOf = (name: string) => machine.show(name, 'MainPID');

test('one that is killed is started again and takes the root over', async () => {
  expect(start()).toBe(0);
  const first = pidOf(unit);
  machine.run('systemctl', 'kill', '-s', 'KILL', unit);
  await expect.poll(() => machine.show(unit, 'NRestarts')).toBe('1');
  await expect.poll(() => machine.show(unit, 'SubState')).toBe('running');
  expect(pidOf(unit)).not.toBe(first);
  expect(machine.owners()).toEqual(owner(pidOf(unit)));
});

test('a start fails while somebody else watches, and comes true when that one has left', async () => {
  expect(start('other-watcher.service')).toBe(0);
  const other = pidOf('other-watcher.service');
  await expect.poll(machine.owners).toEqual(owner(other));
  // Slower than whoever asks whether a watcher is ready.
  const slow = "ExecStart=\nExecStart=/bin/sh -c 'sleep 1; exec fleet-watcher'\n";
  machine.dropIn(unit, slow);
  expect(start()).not.toBe(0);
  expect(machine.owners()).toEqual(owner(other));
  machine.run('systemctl', 'stop', 'other-watcher.service');
  await expect.poll(() => machine.show(unit, 'SubState')).toBe('running');
  expect(machine.owners()).toEqual(owner(pidOf(unit)));
});
