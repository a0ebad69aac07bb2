/** What docs/exit-codes.md says of `fleet gate` in units, as systemd runs it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/exit-codes.md', import.meta.url)),
  'utf8',
);

const machine = machineOfThisFile();

/** A unit with these lines, started once; its properties afterwards. */
function started(name: string, ...lines: readonly string[]) {
  const fixed = ['[Service]', 'Environment=FLEET_ROOT=/srv/fleet', 'RestartSec=0', ...lines];
  machine.write(`/run/systemd/system/${name}`, `${fixed.join('\n')}\n`);
  machine.run('systemctl', 'daemon-reload');
  const { status } = machine.run('systemctl', 'start', name);
  const show = (property: string) => machine.show(name, property);
  return { status, show };
}

/** The words of the page, where they stand in it. */
function quoted(words: string): string {
  expect(page).toContain(`\`${words}\``);
  return words;
}

test('a condition skips a unit while its profile is paused, and fails it with status 255', () => {
  const words = quoted('ExecCondition=fleet gate -p lane-a').replace('=', '=/usr/bin/env ');
  const unit = ['Type=oneshot', 'ExecStart=touch /run/ran'];
  const ran = () => machine.run('test', '-e', '/run/ran').status === 0;

  machine.write('/srv/fleet/profiles/lane-a/ESTOP', '');
  const skipped = started('skipped.service', ...unit, words);
  expect([skipped.status, skipped.show('ActiveState'), ran()]).toEqual([0, 'inactive', false]);
  const failed = started('failed.service', ...unit, `${words} --refused-code 255`);
  expect([failed.status, failed.show('ActiveState'), ran()]).toEqual([1, 'failed', false]);

  machine.run('rm', '/srv/fleet/profiles/lane-a/ESTOP');
  expect(started('skipped.service', ...unit, words).status).toBe(0);
  expect(ran()).toBe(true);
});

test('a command that is refused is started again and again, unless its status prevents it', async () => {
  machine.write('/srv/fleet/profiles/lane-a/ESTOP', '');
  const words = quoted('ExecStart=fleet gate -p lane-a -- CMD').replace('CMD', 'sleep 100');
  const unit = [words.replace('=', '=/usr/bin/env '), quoted('Restart=on-failure')];
  const once = started('once.service', ...unit, quoted('RestartPreventExitStatus=75'));
  await expect.poll(() => once.show('SubState'), { timeout: 15_000 }).toBe('failed');
  expect([once.show('NRestarts'), once.show('ExecMainStatus')]).toEqual(['0', '75']);
  const again = started('again.service', ...unit);
  await expect.poll(() => Number(again.show('NRestarts')), { timeout: 15_000 }).toBeGreaterThan(0);
});
