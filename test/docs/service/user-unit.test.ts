/** The unit for a user's own fleet, as that user's manager runs it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { beforeEach, expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const unit = 'fleet-watcher.service';
const text = readFileSync(
  fileURLToPath(new URL(`../../../docs/watcher/user/${unit}`, import.meta.url)),
  'utf8',
);
const root = '/home/mine/.fleet';

const machine = machineOfThisFile();
beforeEach(() => {
  machine.run('systemctl', 'start', 'user-manager.service');
});

const systemctl = (...words: readonly string[]) =>
  machine.runAsMine('systemctl', '--user', ...words);
const show = (property: string) => systemctl('show', '--value', '-p', property, unit).stdout.trim();

test('it starts, retires, comes back from a kill, and stops', async () => {
  machine.runAsMine('mkdir', '-p', `${root}/profiles/lane-a`, '/home/mine/.config/systemd/user');
  machine.write(`/home/mine/.config/systemd/user/${unit}`, text);
  expect(systemctl('enable', '--now', unit)).toMatchObject({ status: 0 });
  expect(show('SubState')).toBe('running');

  const sentinel = `${root}/profiles/lane-a/ESTOP`;
  machine.write(sentinel, JSON.stringify({ expires_at: formatInstant(Date.now() + 200) }));
  const stands = () => machine.run('test', '-e', sentinel).status === 0;
  await expect.poll(stands).toBe(false);
  const journal = () => machine.runAsMine('cat', `${root}/.fleet/journal.ndjson`).stdout;
  await expect.poll(journal).toMatch(/"event":"retire".*"user":"mine"/);

  const first = show('MainPID');
  systemctl('kill', '-s', 'KILL', unit);
  await expect.poll(() => show('NRestarts')).toBe('1');
  await expect.poll(() => show('SubState')).toBe('running');
  expect(show('MainPID')).not.toBe(first);

  expect(systemctl('stop', unit)).toMatchObject({ status: 0 });
  expect([show('Result'), show('ExecMainStatus')]).toEqual(['success', '0']);
  expect(machine.run('test', '-e', `${root}/.fleet/watcher.lock`).status).toBe(1);
});
