/**
 * What the watcher can and cannot do under the restrictions of its unit, under those that its guide
 * adds, and under those that it warns of.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { arm, formatInstant, nodeDisk } from '@fleet-estop/sentinel-core';
import { beforeEach, expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const unit = 'fleet-watcher.service';
const guide = fileURLToPath(new URL('../../../docs/watcher/service.md', import.meta.url));

const machine = machineOfThisFile();
beforeEach(() => {
  machine.run('systemctl', 'stop', unit);
  machine.run('rm', '-rf', `/etc/systemd/system/${unit}.d`, '/srv/fleet/.fleet');
  machine.run('systemctl', 'daemon-reload');
  machine.run('journalctl', '--rotate', '--vacuum-time=1us');
});

const start = () => machine.run('systemctl', 'start', unit).status;
const log = () => {
  machine.run('journalctl', '--sync');
  return machine.run('journalctl', '-u', unit, '-o', 'cat').stdout;
};

/** A hold that has expired by the time anybody looks, and its retirement. */
async function retiresIn(home: string): Promise<void> {
  arm(nodeDisk(), home, { expiresAt: formatInstant(Date.now() + 200) });
  await expect.poll(() => existsSync(join(home, 'ESTOP'))).toBe(false);
}

test('an expired hold is retired, and the journal says by whom', async () => {
  expect(start()).toBe(0);
  await retiresIn(join(machine.fleet, 'profiles/lane-a'));
  const journal = join(machine.fleet, '.fleet/journal.ndjson');
  await expect.poll(() => existsSync(journal)).toBe(true);
  const line = readFileSync(journal, 'utf8');
  expect(JSON.parse(line)).toMatchObject({
    event: 'retire',
    profile: 'lane-a',
    actor: { user: 'fleet', via: 'fleet-watcher' },
  });
});

test('one in a profile elsewhere stands, which is said, until that folder is writable', async () => {
  machine.run('install', '-d', '-o', 'fleet', '-m', '755', '/opt/lane');
  machine.run('ln', '-s', '/opt/lane', '/srv/fleet/profiles/elsewhere');
  const stands = () => machine.run('test', '-e', '/opt/lane/ESTOP').status === 0;
  expect(start()).toBe(0);
  const body = JSON.stringify({ expires_at: formatInstant(Date.now() + 200) });
  machine.write('/opt/lane/ESTOP', body);
  await expect.poll(log).toContain('"why":"EROFS"');
  expect(stands()).toBe(true);

  machine.dropIn(unit, 'ReadWritePaths=/opt/lane\n');
  machine.run('systemctl', 'restart', unit);
  await expect.poll(stands).toBe(false);
  machine.run('rm', '/srv/fleet/profiles/elsewhere');
});

test('with what the guide adds, it retires, serves and takes connections', async () => {
  const [, block = ''] =
    /^```ini\n\[Service\]\n(.*?)^```$/ms.exec(readFileSync(guide, 'utf8')) ?? [];
  expect(block.split('\n').length).toBeGreaterThan(8);
  machine.dropIn(unit, block);
  expect(start()).toBe(0);
  // None of it is unknown to this systemd, which it would only log.
  expect(machine.run('systemd-analyze', 'verify', unit)).toMatchObject({ status: 0, stderr: '' });
  await retiresIn(join(machine.fleet, 'profiles/lane-b'));
  expect(log()).toContain('serving http://127.0.0.1:7433/');
});

test('a fleet of a group gets its folder for the group', async () => {
  machine.run('chmod', '2770', '/srv/fleet');
  expect(start()).toBe(0);
  expect(machine.run('stat', '-c', '%a', '/srv/fleet/.fleet').stdout).toBe('2770\n');
});

test.each([
  ['RestrictSUIDSGID=yes', /"code":"EPERM"/],
  ['MemoryDenyWriteExecute=yes', /Main process exited, code=(killed|dumped)/],
])('%s is in its way, as the guide says', (line, said) => {
  machine.run('chmod', '2770', '/srv/fleet');
  machine.dropIn(unit, `${line}\nRestart=no\n`);
  // Nor is a second start content with what the first one left.
  for (const again of [1, 2]) expect(start(), `start ${again}`).not.toBe(0);
  expect(log()).toMatch(said);
});
