/** The script of docs/gateways/cron.md, as it is printed and as cron runs it: with its environment. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(repository, 'docs/gateways/cron.md'), 'utf8');
const [, printed = ''] = /^```sh\n(.*?)^```/ms.exec(page) ?? [];

let scratch = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'fleet-cron-'));
  cpSync(join(repository, 'profiles.example'), join(scratch, 'fleet'), { recursive: true });
  mkdirSync(join(scratch, 'bin'));
  symlinkSync(join(repository, 'packages/fleet-cli/bin/fleet.js'), join(scratch, 'bin/fleet'));
  symlinkSync(process.execPath, join(scratch, 'bin/node'));
  const ran = join(scratch, 'ran');
  writeFileSync(join(scratch, 'report.sh'), `#!/bin/sh\n: > ${ran}\nexit 7\n`, { mode: 0o755 });
  return () => rmSync(scratch, { recursive: true, force: true });
});

function asCron({ path = join(scratch, 'bin'), fleet = 'fleet' } = {}) {
  const script = join(scratch, 'report');
  const here = printed.replace('/srv/fleet', join(scratch, fleet)).replaceAll('/srv/jobs', scratch);
  expect(here).toContain(`exec ${scratch}/report.sh`);
  writeFileSync(script, here, { mode: 0o755 });
  const env = { HOME: scratch, LOGNAME: 'nobody', SHELL: '/bin/sh', PATH: `${path}:/usr/bin:/bin` };
  const { status, stdout, stderr } = spawnSync(script, [], { env, encoding: 'utf8' });
  return { status, mail: stdout + stderr, ran: existsSync(join(scratch, 'ran')) };
}

test('while nothing holds the job runs, and its status is the answer', () => {
  expect(asCron()).toEqual({ status: 7, mail: '', ran: true });
});

test('while paused nothing runs, and there is nothing to mail', () => {
  writeFileSync(join(scratch, 'fleet/ESTOP'), '');
  expect(asCron()).toEqual({ status: 0, mail: '', ran: false });
});

test('a mistake is told: a profile that is not there, and a PATH without fleet', () => {
  rmSync(join(scratch, 'fleet/profiles/lane-a'), { recursive: true });
  expect(asCron()).toMatchObject({
    status: 1,
    mail: expect.stringContaining('lane-a'),
    ran: false,
  });
  expect(asCron({ path: '/nonexistent' })).toMatchObject({
    status: 1,
    mail: expect.stringContaining('not found'),
    ran: false,
  });
});
