/**
 * The recorded session is run again, and says the same but for ids, times and places.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(repository, 'docs/session.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fleet-session-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(repository, 'packages/fleet-cli/bin/fleet.js'), join(folder, 'fleet'));

const root = join(folder, 'agents');
const sh = (command: string): string => {
  const env = {
    ...process.env,
    FLEET_HOLDER: 'alice',
    FLEET_ROOT: root,
    PATH: `${folder}:${process.env['PATH']}`,
  };
  // Both streams as one, as a terminal shows them.
  return spawnSync('/bin/sh', ['-c', `${command} 2>&1`], { env, encoding: 'utf8' }).stdout;
};

/** What may differ between two runs, and the widths of columns that follow from it. */
const likened = (text: string): string =>
  text
    .replaceAll(root, '/tmp/agents')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (\+\d\d:\d\d|UTC)/g, 'TIME')
    .replace(/\b(hold +)\S+\.\d+$/gm, '$1ID')
    .replace(/\bplaced by .* on .*, process \d+,/g, 'placed by WHO,')
    .replace(/\bop-[0-9a-f]{12}\b/g, 'OPERATION')
    .replace(/\bin (2h|1h 59m)/g, 'in LEFT')
    .replace(/^(\S+ +paused +alice +.*?) +\d+s +/gm, '$1 AGE ')
    .replace(/\(\d+s ago\)/g, '(AGE ago)')
    .replace(/1h 59m|2h 0m|\b2h\b/g, 'LEFT')
    .replace(/ +/g, ' ');

test('every command of the recorded session says what is recorded', { timeout: 60_000 }, () => {
  const [, recorded = ''] = /^```\n(.*?)^```$/ms.exec(page) ?? [];
  const steps = recorded.split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(5);
  sh(`fleet init ${root} --example`);
  for (const step of steps) {
    const [command = '', ...lines] = step.split('\n');
    expect(`${command}\n${likened(sh(command))}`).toBe(`${command}\n${likened(lines.join('\n'))}`);
  }
});
