/** What docs/exit-codes.md and docs/gateways/systemd.md say of `fleet gate` in units, as systemd runs it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { machineOfThisFile } from './machine.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/exit-codes.md', import.meta.url)),
  'utf8',
);

const guide = readFileSync(
  fileURLToPath(new URL('../../../docs/gateways/systemd.md', import.meta.url)),
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
  await expect.poll(() => once.show('SubState')).toBe('failed');
  expect([once.show('NRestarts'), once.show('ExecMainStatus')]).toEqual(['0', '75']);
  const again = started('again.service', ...unit);
  await expect.poll(() => Number(again.show('NRestarts'))).toBeGreaterThan(0);
});

/** The unit of the guide whose first line names it, with another command and without long waits. */
function ofTheGuide(name: string, command: readonly [printed: string, here: string]): string {
  const [, unit = ''] =
    new RegExp(`^\`\`\`ini\\n# ${name}.*\\n([^]*?)^\`\`\``, 'm').exec(guide) ?? [];
  expect(unit).toContain(command[0]);
  return unit.replace(command[0], command[1]).replace('RestartSec=30', 'RestartSec=0.2');
}

function put(path: string, text: string): void {
  machine.write(`/run/systemd/system/${path}`, text);
  machine.run('systemctl', 'daemon-reload');
}

const ESTOP = '/srv/fleet/profiles/lane-a/ESTOP';

test('the job of the guide is skipped while paused, without a failure, and runs after the lift', () => {
  put(
    'report.service',
    ofTheGuide('report.service', ['/srv/jobs/report.sh', '/usr/bin/touch /run/reported']),
  );
  const start = () => machine.run('systemctl', 'start', 'report.service').status;
  const ran = () => machine.run('test', '-e', '/run/reported').status === 0;
  machine.write(ESTOP, '');
  expect([start(), machine.show('report.service', 'ActiveState'), ran()]).toEqual([
    0,
    'inactive',
    false,
  ]);
  machine.run('rm', ESTOP);
  expect([start(), ran()]).toEqual([0, true]);
});

test('the service of the guide is tried until the lift, and no try is a failure', async () => {
  put('worker.service', ofTheGuide('worker.service', ['/srv/jobs/worker.sh', 'sleep 100']));
  machine.write(ESTOP, '');
  machine.run('systemctl', 'start', '--no-block', 'worker.service');
  const restarts = () => Number(machine.show('worker.service', 'NRestarts'));
  await expect.poll(restarts).toBeGreaterThan(5);
  expect(machine.show('worker.service', 'Result')).toBe('success');
  machine.run('rm', ESTOP);
  const isRunning = () => machine.run('pgrep', '-f', '^sleep 100$').status === 0;
  await expect.poll(isRunning).toBe(true);
  machine.run('systemctl', 'stop', 'worker.service');
});

test('beside a forced restart on 75, the number of the guide keeps a refused unit down', async () => {
  const unit = (command: string) =>
    ['[Unit]', 'StartLimitIntervalSec=0', '[Service]', 'Restart=always', 'RestartSec=0.2']
      .concat('RestartForceExitStatus=75', `ExecStart=/usr/bin/env ${command}`, '')
      .join('\n');
  machine.write(ESTOP, '');
  const gate = 'fleet gate --root /srv/fleet -p lane-a --';
  put('hermes-gateway.service', unit(`${gate} sleep 100`));
  machine.run('systemctl', 'start', '--no-block', 'hermes-gateway.service');
  const show = (property: string) => machine.show('hermes-gateway.service', property);
  await expect.poll(() => Number(show('NRestarts'))).toBeGreaterThan(1);
  machine.run('systemctl', 'stop', 'hermes-gateway.service');

  const printed = ['--root %h/.hermes', '--root /srv/fleet -p lane-a'] as const;
  const dropIn = ofTheGuide('hermes-gateway.service.d/override.conf', printed);
  expect(dropIn).toContain('hermes gateway run');
  put('hermes-gateway.service.d/override.conf', dropIn.replace('hermes gateway run', 'sleep 100'));
  machine.run('systemctl', 'start', '--no-block', 'hermes-gateway.service');
  await expect.poll(() => show('ExecMainStatus')).toBe('69');
  await expect.poll(() => show('SubState')).toBe('failed');
  expect(show('NRestarts')).toBe('0');
});
