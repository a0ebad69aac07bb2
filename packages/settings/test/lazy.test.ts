/** The parser is not loaded for a fleet without settings. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

// Outside the repository, where neither `yaml` nor `zod` is found.
const dir = mkdtempSync(join(tmpdir(), 'fleet-settings-'));
afterAll(() => rmSync(dir, { recursive: true }));
beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['yaml', 'zod'],
  });
});

function run(script: string) {
  const text = `import * as settings from './index.mjs'; process.stdout.write(${script});`;
  writeFileSync(join(dir, 'script.mjs'), text);
  const { stdout, stderr } = spawnSync(process.execPath, [join(dir, 'script.mjs')], {
    encoding: 'utf8',
    cwd: dir,
  });
  return { stdout, stderr };
}

it('absent settings are reported without loading the parser', () => {
  const { stdout } = run("(await settings.readFleetSettings('nowhere')).state");
  expect(stdout).toBe('absent');
});

it('so are policies and selectors', () => {
  const request = "{ holder: 'a', reason: null, ttlMs: null }";
  const policies = '{ version: 1, policies: { require_reason: true } }';
  const { stdout } = run(`settings.checkPolicies(${policies}, ${request})[0].policy`);
  expect(stdout).toBe('require_reason');
  expect(run("settings.parseSelector('a=b').selector.key").stdout).toBe('a');
});

it('settings that are there are not read without them', () => {
  writeFileSync(join(dir, 'fleet.yaml'), 'version: 1\n');
  const { stdout, stderr } = run("(await settings.readFleetSettings('.')).state");
  expect(stdout).toBe('');
  expect(stderr).toContain('ERR_MODULE_NOT_FOUND');
});
