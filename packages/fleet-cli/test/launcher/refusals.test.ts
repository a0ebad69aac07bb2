/**
 * Where the launcher refuses to start, and with what.
 * What the command does once it runs is tested verb by verb.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

// A copy, so that there is no build beside it.
const folder = mkdtempSync(join(tmpdir(), 'fleet-launcher-'));
afterAll(() => rmSync(folder, { recursive: true }));
const launcher = join(folder, 'bin', 'fleet.js');
cpSync(new URL('../../bin', import.meta.url), join(folder, 'bin'), { recursive: true });
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

function start(pretend = ''): { status: number | null; stdout: string; stderr: string } {
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return spawnSync(process.execPath, ['--import', preload, launcher], { encoding: 'utf8' });
}

function pretendNode(version: string): string {
  const versions = JSON.stringify({ ...process.versions, node: version });
  return `Object.defineProperty(process, 'versions', { value: ${versions} })`;
}

const sentence = /^[^\n]+\.\n$/;

test.each(['18.20.8', '20.18.3'])('Node %s is below the floor: one sentence, exit 2', (version) => {
  const { status, stdout, stderr } = start(pretendNode(version));
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).toContain(version);
});

test('a platform other than Linux and macOS: one sentence, exit 2', () => {
  const { status, stderr } = start(
    "Object.defineProperty(process, 'platform', { value: 'win32' })",
  );
  expect(status).toBe(2);
  expect(stderr).toMatch(sentence);
  expect(stderr).toContain('win32');
});

test('before the first build: one sentence that says what to run, exit 2', () => {
  const { status, stderr } = start(pretendNode('20.19.0'));
  expect(status).toBe(2);
  expect(stderr).toMatch(sentence);
  expect(stderr).toContain('npm run build');
});

test('a build that cannot be loaded is never mistaken for an answer', () => {
  const bundle = join(folder, 'dist', 'bundle');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'bin.cjs'), "require('./gone.cjs');\n");
  const { status, stderr } = start();
  expect(status).toBe(3);
  expect(stderr).toContain('gone.cjs');
});

test('compiled code of another build is ignored, and the source is run', () => {
  const bundle = join(folder, 'dist', 'bundle');
  mkdirSync(bundle, { recursive: true });
  const source = "/*0123456789abcdef*/process.stdout.write('the source ran');\n";
  writeFileSync(join(bundle, 'bin.cjs'), source);
  writeFileSync(join(bundle, 'bin.cjs.0123456789abcdef.cache'), 'not what this Node compiled');
  expect(start()).toMatchObject({ status: 0, stdout: 'the source ran' });
});
